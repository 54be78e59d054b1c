-- Gives an account another password, if it still has the one that was looked at.
-- KEYS 1 the account's record
-- ARGV 1 hash of the password it has, '' for none, 2 hash of the new one
-- Output 1 it has the new one, 0 it had another, or there is no such account
-- Why a script: of two who change it at the same time one is told that it was changed meanwhile, and knows which one counts.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if (redis.call('HGET', KEYS[1], 'password') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'password', ARGV[2])
return 1
