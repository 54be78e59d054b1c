-- Names the robot that a claimed pairing is for; the next poll gets it.
-- KEYS 1 pairing
-- ARGV 1 account, 2 robot
-- Output 1 approved, 0 the pairing is gone
-- Why a script: a pairing that ran out in between is not made again without its end.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'robot', ARGV[2])
return 1
