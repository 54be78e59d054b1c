-- Raises the number that a master stores in a transaction, at most once a period over all instances.
-- KEYS 1 number stored in a transaction, 2 number stored in a single write
-- ARGV 1 period (ms)
-- Output {'lost'} 2 is above 1: Redis dropped transactions while it loaded its append-only file | {'recent'} raised within the period |
--        {'raised', text number}
-- Why a script: Redis stores a script with several writes in its append-only file as a transaction, as those of the service. HDEL removes
-- nothing; after it a Redis at its memory limit refuses a script nothing. If it refuses a later command, the number must still be there.
local record = redis.call('HMGET', KEYS[1], 'number', 'raised_at')
local number = tonumber(record[1] or '0')
if tonumber(redis.call('GET', KEYS[2]) or '0') > number then return {'lost'} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local sinceMs = now - tonumber(record[2] or '0')
if sinceMs >= 0 and sinceMs < tonumber(ARGV[1]) then return {'recent'} end
redis.call('HDEL', KEYS[1], 'none')
redis.call('HSET', KEYS[1], 'number', string.format('%.0f', number + 1))
redis.call('HSET', KEYS[1], 'raised_at', string.format('%.0f', now))
return {'raised', string.format('%.0f', number + 1)}
