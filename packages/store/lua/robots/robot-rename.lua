-- Gives a robot a name.
-- KEYS 1 record
-- ARGV 1 account, 2 name
-- Output 1 it has it, 0 not a robot of this account
-- Why a script: a robot that is removed meanwhile does not come back as a name alone.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'name', ARGV[2])
return 1
