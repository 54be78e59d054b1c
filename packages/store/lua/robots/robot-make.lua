-- Writes the record of a new robot.
-- KEYS 1 record
-- ARGV field and value, and so on
-- Output 1
-- Why a script: it records the Redis process on which the robot was created. Another process may have a copy from before the robot's first event,
-- and its numbering must jump (events-append.lua).
local time = redis.call('TIME')
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unknown'
redis.call('HSET', KEYS[1], 'created_at', time[1] * 1000 + math.floor(time[2] / 1000), 'run_id', run, unpack(ARGV))
return 1
