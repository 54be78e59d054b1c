-- Keeps a record that was stored for a moment.
-- KEYS 1 record
-- ARGV 1 time after which nothing is done (ms), 2 when the record expires from now on (ms), '' for never
-- Output 1 | 0 it has expired, or was deleted | 'late'
-- Why a script: a late one does nothing (in-time.ts).
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[1]) then return 'late' end
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[1], 'pending')
if ARGV[2] == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return 1
