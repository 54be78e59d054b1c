-- Changes what the owner of a robot chooses.
-- KEYS 1 record, 2 lease
-- ARGV 1 account, 2 and on: name of a field, its value ('': not set)
-- Output {} not a robot of this account | {text lease state, text instance, text session} each '' when it never connected
-- Why a script: the change must not recreate the record of a robot that is removed meanwhile, and the session that must learn of it holds the robot
-- at the time of the change; a later one reads the change when it takes the robot.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return {} end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
return {lease[1] or '', lease[2] or '', lease[3] or ''}
