-- Stores replies to commands of calls under an Idempotency-Key, for the gateway that continues a call if its own gateway dies; and outcomes with them.
-- KEYS of each reply: call
-- ARGV 1 TTL of an outcome ms, 2 publish command, 3 number of batches of acks, then for each batch: channel, text before its acks, text behind them;
--      then for each reply: step of the call, reply (JSON), outcome of the call (JSON) or '', channel, message to publish, number of the batch or 0,
--      ack for that batch (JSON), published if the outcome is stored
-- Output [number] one for each reply: 3 stored with the outcome, and a gateway received the ack; 2 stored with the outcome; 1 stored; 0 the call was
--        deleted or is over
-- Why a script: the reply must not recreate a deleted call without its TTL. Any session may write: what a robot acknowledged stays true. An ack leaves
-- only once the outcome is stored.
local stored, acks, batches = {}, {}, tonumber(ARGV[3])
for i = 1, batches do acks[i] = {of = {}} end
for i, name in ipairs(KEYS) do
  local at = 3 + 3 * batches + 7 * (i - 1)
  local outcome = ARGV[at + 3]
  local call = redis.call('HMGET', name, 'claim', 'outcome', 'wanted_at')
  if not call[1] then
    stored[i] = 0
  elseif outcome == '' or call[2] then
    redis.call('HSET', name, 'reply:' .. ARGV[at + 1], ARGV[at + 2])
    stored[i] = call[2] and 2 or 1
  else
    -- The claim stays, and with it the replies: a gateway that took the call over reads them.
    redis.call('HSET', name, 'reply:' .. ARGV[at + 1], ARGV[at + 2], 'outcome', outcome)
    redis.call('PEXPIRE', name, ARGV[1])
    if call[3] then redis.call(ARGV[2], ARGV[at + 4], ARGV[at + 5]) end
    stored[i] = 2
  end
  local batch = acks[tonumber(ARGV[at + 6])]
  if batch and stored[i] == 2 then
    table.insert(batch, ARGV[at + 7])
    table.insert(batch.of, i)
  end
end
for i, batch in ipairs(acks) do
  local at = 3 * i
  if #batch > 0 and redis.call(ARGV[2], ARGV[at + 1], ARGV[at + 2] .. table.concat(batch, ',') .. ARGV[at + 3]) > 0 then
    for _, reply in ipairs(batch.of) do stored[reply] = 3 end
  end
end
return stored
