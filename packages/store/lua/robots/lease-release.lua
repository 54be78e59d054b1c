-- Releases a robot, if the session still holds it, and saves its last readings.
-- KEYS 1 lease, 2 saved
-- ARGV 1 session, 2 state moving|away, 3 saved (JSON) or ''
-- Output 1 released | 0 another session holds the robot
-- Why a script: an instance that lost the lease must not take the robot offline.
if redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then return 0 end
-- Redis at its memory limit refuses a script's first write if it may need memory. This one needs none; the state replaces the previous one.
redis.call('HDEL', KEYS[1], '')
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'state', ARGV[2], 'since', time[1] * 1000 + math.floor(time[2] / 1000))
if ARGV[3] ~= '' then redis.call('SET', KEYS[2], ARGV[3]) end
return 1
