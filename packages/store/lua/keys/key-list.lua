-- Adds a key to its account's list, unless the account has the maximum number of keys.
-- KEYS 1 API keys of the account, 2 its record
-- ARGV 1 key id, 2 entry (hash of the key and created_at), 3 maximum number of keys of an account without a limit of its own, '' for unlimited
-- Output 'added' | 'full <maximum>' the account has the maximum | 'limited <maximum>' the same by the account's own limit |
--        'removing' the account is being removed
-- Why a script: count and entry are one step, so that parallel requests never exceed the maximum.
local record = redis.call('HMGET', KEYS[2], 'removing', 'keys_max')
if record[1] then return 'removing' end
local max = record[2] or ARGV[3]
if max ~= '' and max ~= 'none' and redis.call('HLEN', KEYS[1]) >= tonumber(max) then return (record[2] and 'limited ' or 'full ') .. max end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 'added'
