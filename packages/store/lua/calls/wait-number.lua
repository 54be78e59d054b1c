-- Allocates the number of a wait when its call arrives, and reads where the robot is.
-- KEYS 1 wait head, 2 record, 3 lease, 4 waits being drawn
-- ARGV 1 1: the wait will open as soon as its picture is drawn, and the queue of the robot waits for it; 0: the number is all that is wanted,
--      2 how long the queue waits, ms
-- Output {} the robot does not exist | {text number, [text] (state, instance, session and since of the lease; '' where it has none), [text] (fields and
--        values of the record)} both empty if ARGV 1 is 0
-- Why a script: numbers are at least Redis' time in ms, so that they are not reused after Redis was restored from an older copy;
-- a picture on a robot is identified by its wait's number.
if redis.call('EXISTS', KEYS[2]) == 0 then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = string.format('%.0f', math.max(tonumber(redis.call('HGET', KEYS[1], 'given') or '0') + 1, now))
redis.call('HSET', KEYS[1], 'given', number)
if ARGV[1] == '0' then return {number, {}, {}} end
redis.call('ZADD', KEYS[4], now, number)
redis.call('PEXPIRE', KEYS[4], ARGV[2])
local lease = redis.call('HMGET', KEYS[3], 'state', 'instance', 'session', 'since')
for i = 1, 4 do lease[i] = lease[i] or '' end
return {number, lease, redis.call('HGETALL', KEYS[2])}
