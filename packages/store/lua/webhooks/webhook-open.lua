-- Adds messages to a webhook's log, as open, unless they are there.
-- KEYS 1 webhooks, 2 deliveries, 3 open, 4 ended, 5 stored (bytes of each place of the account)
-- ARGV 1 webhook, 2 now (ms), 3 maximum number of open messages, 4 age at which an open message is dropped (ms), 5 TTL (ms), 6 '1' to reopen ended ones,
--        7 bytes the account may store, 8 place of this webhook, then id and delivery (JSON) of each message
-- Output ['open' new, or open already: to be sent | 'known' it ended | 'full' too many are open, or the account's storage is full] for each message;
--        none if there is no such webhook
-- Why a script: each of several concurrent jobs learns whether a message is known, and the limit holds.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return {} end
local total, bytes = 0, nil
for place, text in pairs((function(flat) local t = {} for i = 1, #flat, 2 do t[flat[i]] = flat[i + 1] end return t end)(redis.call('HGETALL', KEYS[5]))) do
  local held, ends = string.match(text, '^(%d+) (%d+)$')
  if place == ARGV[8] then bytes = tonumber(held) end
  if ends == '0' or tonumber(ends) >= tonumber(ARGV[2]) then total = total + tonumber(held) end
end
if not bytes then
  bytes = 0
  for _, json in ipairs(redis.call('HVALS', KEYS[2])) do bytes = bytes + 64 + #json end
  total = total + bytes
end
local function add(more) bytes, total = bytes + more, total + more end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', tonumber(ARGV[2]) - tonumber(ARGV[4]), 'LIMIT', 0, 100)) do
  redis.call('ZREM', KEYS[3], id)
  add(-64 - redis.call('HSTRLEN', KEYS[2], id))
  redis.call('HDEL', KEYS[2], id)
end
local replies = {}
for i = 9, #ARGV, 2 do
  local id = ARGV[i]
  local ended = redis.call('ZSCORE', KEYS[4], id)
  if redis.call('ZSCORE', KEYS[3], id) then
    replies[#replies + 1] = 'open'
  elseif ended and ARGV[6] ~= '1' then
    replies[#replies + 1] = 'known'
  elseif redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) or total + 64 + #ARGV[i + 1] > tonumber(ARGV[7]) then
    replies[#replies + 1] = 'full'
  else
    redis.call('ZREM', KEYS[4], id)
    if ended then add(-64 - redis.call('HSTRLEN', KEYS[2], id)) end
    add(64 + #ARGV[i + 1])
    redis.call('ZADD', KEYS[3], ARGV[2], id)
    redis.call('HSET', KEYS[2], id, ARGV[i + 1])
    replies[#replies + 1] = 'open'
  end
end
redis.call('HSET', KEYS[5], ARGV[8], string.format('%.0f %.0f', math.max(0, bytes), ARGV[2] + ARGV[5]))
for i = 2, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
return replies
