-- Lists a robot of another account among those that are shared with this one.
-- KEYS 1 shared, 2 the account's record
-- ARGV 1 robot, 2 maximum number of robots
-- Output 1 listed, now or before | 0 the account has the maximum number | -1 the account does not exist, or is being removed
-- Why a script: parallel requests never exceed the maximum, and an account that is being removed gets nothing more.
local record = redis.call('HMGET', KEYS[2], 'email', 'removing')
if not record[1] or record[2] then return -1 end
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)), ARGV[1])
return 1
