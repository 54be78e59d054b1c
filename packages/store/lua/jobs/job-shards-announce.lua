-- Announces how many job shards an instance puts jobs into.
-- KEYS 1 job shards
-- ARGV 1 number of shards, 2 TTL ms: as long as a job may wait
-- Output 1
-- Why a script: it uses Redis' time.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
