-- Stores replies to commands of calls under an Idempotency-Key, for the gateway that continues a call if its own gateway dies; and outcomes with them.
-- KEYS of each reply: call
-- ARGV 1 TTL of an outcome ms, 2 publish command, then for each reply: step of the call, reply (JSON), outcome of the call (JSON) or '',
--      channel, message to publish
-- Output [number] one for each reply: 2 stored with the outcome; 1 stored; 0 the call was deleted or is over
-- Why a script: the reply must not recreate a deleted call without its TTL. Any session may write: what a robot acknowledged stays true.
local stored = {}
for i, name in ipairs(KEYS) do
  local at = 5 * i - 2
  local call = redis.call('HMGET', name, 'claim', 'outcome', 'wanted_at')
  if not call[1] then
    stored[i] = 0
  elseif ARGV[at + 2] == '' or call[2] then
    redis.call('HSET', name, 'reply:' .. ARGV[at], ARGV[at + 1])
    stored[i] = call[2] and 2 or 1
  else
    -- The claim stays, and with it the replies: a gateway that took the call over reads them.
    redis.call('HSET', name, 'reply:' .. ARGV[at], ARGV[at + 1], 'outcome', ARGV[at + 2])
    redis.call('PEXPIRE', name, ARGV[1])
    if call[3] then redis.call(ARGV[2], ARGV[at + 3], ARGV[at + 4]) end
    stored[i] = 2
  end
end
return stored
