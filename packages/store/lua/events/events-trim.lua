-- Drops the oldest events of a robot: those that are older than events are kept, and more until its log takes no more than its share of the
-- account's storage; of these the newest stays.
-- KEYS 1 log, 2 events
-- ARGV 1 bytes the log may take, or '', 2 most events to look at
-- Output bytes it takes now
-- Why a script: entries and their bytes change together. Readers see the gap by the oldest number, as where the log is full.
-- A robot that was removed has none of it, and gets none anew.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local bytes, share = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0'), tonumber(ARGV[1]) or math.huge
-- As events-read.lua tells it.
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
