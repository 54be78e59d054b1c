-- Extends an entry of a master's media budget.
-- KEYS 1 budget, 2 budget bytes, 3 reserved, 4 shared
-- ARGV 1 `<account>:<entry>`, 2 TTL ms
-- Output 1 extended | 0 it does not exist
-- Why a script: the expiry is on Redis' clock.
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]), ARGV[1])
for i = 1, 4 do
  if redis.call('EXISTS', KEYS[i]) == 1 and redis.call('PTTL', KEYS[i]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
end
return 1
