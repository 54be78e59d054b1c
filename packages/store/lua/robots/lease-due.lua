-- Records that a `connected` event is due: the instance that held the robot before its present session had no heartbeat for a while.
-- KEYS 1 lease
-- ARGV 1 session
-- Output 1 recorded | 0 another session holds the robot
-- Why a script: it applies only to the session that took the robot; a later one decides for itself.
if redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'due', '1', 'back_at', redis.call('HGET', KEYS[1], 'since'))
return 1
