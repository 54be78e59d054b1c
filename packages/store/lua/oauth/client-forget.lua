-- Deletes an OAuth client that registered, unless a user has allowed it something.
-- KEYS 1 client
-- ARGV 1 ms that an unused client is kept: one that was allowed something is kept for longer
-- Output 1 deleted | 0
-- Why a script: a user may allow it something meanwhile, also on a gateway of a release that does not take it out of the unused ones.
if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[1]) then return 0 end
return redis.call('DEL', KEYS[1])
