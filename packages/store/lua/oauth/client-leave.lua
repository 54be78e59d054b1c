-- Takes an OAuth client out of the unused ones.
-- KEYS 1 unused clients by time, 2 the same by site, 3 number of each site
-- ARGV 1 its entry, 2 its site
-- Output 1 | 0 it was not one of them
-- Why a script: entry and number change together.
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('ZREM', KEYS[2], ARGV[1])
if tonumber(redis.call('ZINCRBY', KEYS[3], -1, ARGV[2])) <= 0 then redis.call('ZREM', KEYS[3], ARGV[2]) end
return 1
