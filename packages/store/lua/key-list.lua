-- Adds a key to its account's list, unless the account has the maximum number of keys.
-- KEYS 1 API keys of the account
-- ARGV 1 key id, 2 entry (hash of the key and created_at), 3 maximum number of keys, '' for no bound
-- Output 1 added, 0 the account has the maximum
-- Why a script: count and entry are one step, so that parallel requests on any number of gateways never exceed the maximum.
if ARGV[3] ~= '' and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
