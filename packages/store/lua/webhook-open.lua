-- Writes messages to a webhook into its log, as open, unless they are there.
-- KEYS 1 webhooks, 2 deliveries, 3 open, 4 ended
-- ARGV 1 webhook, 2 now (ms), 3 how many may be open, 4 age from which an open one is given up (ms), 5 TTL (ms), 6 '1' opens again what
--      ended, then id and delivery (JSON) of each message
-- Output {} no such webhook | of each message 'open' (new, or open already: it is to be sent) | 'known' (it ended) | 'full'
-- Why a script: of several that notice an event each learns whether it was noticed, and the bound holds.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return {} end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', tonumber(ARGV[2]) - tonumber(ARGV[4]), 'LIMIT', 0, 100)) do
  redis.call('ZREM', KEYS[3], id)
  redis.call('HDEL', KEYS[2], id)
end
local said = {}
for i = 7, #ARGV, 2 do
  local id = ARGV[i]
  local ended = redis.call('ZSCORE', KEYS[4], id)
  if redis.call('ZSCORE', KEYS[3], id) then
    said[#said + 1] = 'open'
  elseif ended and ARGV[6] ~= '1' then
    said[#said + 1] = 'known'
  elseif redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) then
    said[#said + 1] = 'full'
  else
    redis.call('ZREM', KEYS[4], id)
    redis.call('ZADD', KEYS[3], ARGV[2], id)
    redis.call('HSET', KEYS[2], id, ARGV[i + 1])
    said[#said + 1] = 'open'
  end
end
for i = 2, 4 do redis.call('PEXPIRE', KEYS[i], ARGV[5]) end
return said
