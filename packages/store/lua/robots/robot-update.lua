-- Replaces the state of a robot's updates, if it is still what the caller read.
-- KEYS 1 record, 2 lease
-- ARGV 1 account, 2 the state that was read ('': none), 3 the new state (JSON)
-- Output {} not a robot of this account, or another state meanwhile | {text lease state, text instance, text session} each '' when it never connected
-- Why a script: a request of the owner and a step of the robot-link must not overwrite each other, nor recreate the record of a removed robot.
local record = redis.call('HMGET', KEYS[1], 'account', 'update')
if record[1] ~= ARGV[1] or (record[2] or '') ~= ARGV[2] then return {} end
redis.call('HSET', KEYS[1], 'update', ARGV[3])
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
return {lease[1] or '', lease[2] or '', lease[3] or ''}
