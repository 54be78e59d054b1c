-- Stores the record of a new API key, which is admitted from now on.
-- KEYS 1 record
-- ARGV 1 time after which nothing is done (ms), 2 when the key expires (ms), '' for never, 3 and on: fields and their values
-- Output 1 | 'late'
-- Why a script: a late one does nothing (in-time.ts), and a key never exists without its expiry.
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[1]) then return 'late' end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
if ARGV[2] ~= '' then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return 1
