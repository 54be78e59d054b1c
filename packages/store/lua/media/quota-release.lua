-- Removes an entry from a storage quota.
-- KEYS 1 quota, 2 quota bytes
-- ARGV 1 entry
-- Output 1 removed | 0 it did not exist
-- Why a script: two concurrent releases of an entry subtract its bytes once.
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[2], 'total', -tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0'))
redis.call('HDEL', KEYS[2], ARGV[1])
return 1
