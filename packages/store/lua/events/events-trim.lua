-- Drops the oldest events of a robot: those that have exceeded their age, and more until its log fits its share of the account's storage; of the
-- latter the newest stays.
-- KEYS 1 log, 2 events
-- ARGV 1 maximum bytes of the log, or '', 2 maximum number of events to visit
-- Output number bytes of the log now
-- Why a script: entries and their bytes change together, and a removed robot must not get a new log. Readers detect the gap by the oldest number.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local bytes, share = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0'), tonumber(ARGV[1]) or math.huge
-- As in events-read.lua.
local ttl, newest = redis.call('PTTL', KEYS[2]), redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local since = newest and ttl >= 0 and tonumber(newest[2][6]) - ttl or 0
local left = redis.call('XLEN', KEYS[2])
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', ARGV[2])) do
  if tonumber(entry[2][6]) >= since and (bytes <= share or left <= 1) then break end
  bytes = bytes - 64 - #entry[2][2] - #entry[2][4]
  left = left - 1
end
redis.call('XTRIM', KEYS[2], 'MAXLEN', left)
bytes = math.max(0, bytes)
redis.call('HSET', KEYS[1], 'bytes', bytes)
return bytes
