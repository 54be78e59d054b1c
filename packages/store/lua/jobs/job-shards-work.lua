-- Announces how many job shards an instance works on, and returns how many may have jobs.
-- KEYS 1 job shards, 2 job shard workers
-- ARGV 1 kind of jobs, 2 instance, 3 number of shards it works on, 4 TTL ms of the announcement
-- Output number the highest number of shards announced by an instance that creates jobs; 1 if none was
-- Why a script: it uses Redis' time.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[2], string.format('%.0f', now), table.concat({ ARGV[1], ARGV[2], ARGV[3] }, ':'))
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - ARGV[4]))
redis.call('PEXPIRE', KEYS[2], ARGV[4])
local most = 1
for _, number in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do most = math.max(most, tonumber(number)) end
return most
