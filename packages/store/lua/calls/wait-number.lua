-- Allocates the number of a wait when its call arrives.
-- KEYS 1 wait head, 2 record
-- ARGV 1 1: the wait will open as soon as its picture is drawn, and the queue of the robot waits for it
-- Output text the number | '' the robot does not exist
-- Why a script: numbers are at least Redis' time in ms, so that they are not reused after Redis was restored from an older copy;
-- a picture on a robot is identified by its wait's number.
if redis.call('EXISTS', KEYS[2]) == 0 then return '' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local given = math.max(tonumber(redis.call('HGET', KEYS[1], 'given') or '0') + 1, now)
redis.call('HSET', KEYS[1], 'given', string.format('%.0f', given))
if ARGV[1] == '1' then redis.call('HSET', KEYS[1], 'asked', string.format('%.0f', given)) end
return string.format('%.0f', given)
