-- Replaces or removes the entry of a key in its account's list, if it is still the one that was read.
-- KEYS 1 API keys of the account, 2 its record
-- ARGV 1 key id, 2 entry as it was read, 3 new entry, '' to remove it
-- Output 'rolled' | 'changed' the entry is another one, or gone | 'removing' the account is being removed
-- Why a script: calls that replace a key's secret, revoke it or drop it from the list may overlap, and every secret that works stays listed.
if ARGV[3] ~= '' and redis.call('HEXISTS', KEYS[2], 'removing') == 1 then return 'removing' end
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 'changed' end
if ARGV[3] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[3]) end
return 'rolled'
