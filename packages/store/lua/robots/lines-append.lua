-- Appends a log line of a robot and drops the oldest lines beyond the limit.
-- KEYS 1 lease, 2 lines
-- ARGV 1 session, 2 level, 3 text, 4 lines kept, 5 seconds the list lives after its last line
-- Output 1 appended | 0 another session holds the robot
-- Why a script: a session that lost its robot, or whose robot was removed, must not write for it.
if redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('RPUSH', KEYS[2], string.format('%.0f', now) .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[4]), -1)
redis.call('EXPIRE', KEYS[2], ARGV[5])
return 1
