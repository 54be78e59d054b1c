-- Names the robot that a claimed pairing is for; the next poll returns it.
-- KEYS 1 pairing
-- ARGV 1 account, 2 robot
-- Output 1 approved | 0 the pairing has expired
-- Why a script: an expired pairing must not be recreated without its TTL.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'robot', ARGV[2])
return 1
