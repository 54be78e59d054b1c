-- Renames a robot.
-- KEYS 1 record
-- ARGV 1 account, 2 name
-- Output 1 renamed, 0 not a robot of this account
-- Why a script: renaming must not recreate the record of a robot that is removed meanwhile.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'name', ARGV[2])
return 1
