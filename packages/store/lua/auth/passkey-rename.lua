-- Changes the name of a passkey.
-- KEYS 1 the passkey's record
-- ARGV 1 name
-- Output 1 changed | 0 it does not exist
-- Why a script: the change must not recreate a removed passkey.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'name', ARGV[1])
return 1
