-- Adds a passkey to an account, unless the account has the maximum number of passkeys.
-- KEYS 1 the account's passkeys, 2 its record, 3 the passkey's record
-- ARGV 1 passkey, 2 maximum number, 3 and on: fields of the record and their values
-- Output 'added' | 'full' the account has the maximum | 'removing' the account is being removed, or does not exist
-- Why a script: count and entry are one step, so that parallel requests never exceed the maximum.
local account = redis.call('HMGET', KEYS[2], 'email', 'removing')
if not account[1] or account[2] then return 'removing' end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 'full' end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[3], 'created_at', now, unpack(ARGV, 3))
redis.call('ZADD', KEYS[1], now, ARGV[1])
return 'added'
