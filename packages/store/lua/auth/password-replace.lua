-- Changes the password of an account, if it still has the expected one.
-- KEYS 1 the account's record
-- ARGV 1 hash of the expected password, '' for none, 2 hash of the new one
-- Output 1 changed | 0 it has another password, or the account does not exist
-- Why a script: of two concurrent changes one fails, so that its caller learns which password is valid.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if (redis.call('HGET', KEYS[1], 'password') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'password', ARGV[2])
return 1
