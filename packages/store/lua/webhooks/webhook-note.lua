-- Stores the result of an attempt to send an open message.
-- KEYS 1 deliveries, 2 open, 3 ended, 4 stored (bytes of each place of the account)
-- ARGV 1 message, 2 delivery (JSON), 3 '1' when it ended, 4 now (ms), 5 number of ended messages kept, 6 TTL (ms), 7 place of this webhook
-- Output 1 stored | 0 it is no longer open, nothing was written
-- Why a script: a message that ended, or was removed with its webhook, must not be reopened.
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) then return 0 end
local change = #ARGV[2] - redis.call('HSTRLEN', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
if ARGV[3] == '1' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('ZADD', KEYS[3], ARGV[4], ARGV[1])
  for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1 - tonumber(ARGV[5]))) do
    redis.call('ZREM', KEYS[3], id)
    change = change - 64 - redis.call('HSTRLEN', KEYS[1], id)
    redis.call('HDEL', KEYS[1], id)
  end
end
local held = string.match(redis.call('HGET', KEYS[4], ARGV[7]) or '', '^(%d+) ')
if held then
  redis.call('HSET', KEYS[4], ARGV[7], string.format('%.0f %.0f', math.max(0, held + change), ARGV[4] + ARGV[6]))
end
for i = 1, 3 do redis.call('PEXPIRE', KEYS[i], ARGV[6]) end
return 1
