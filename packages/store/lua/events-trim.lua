-- Drops the oldest events of a robot until its log takes no more than its share of the account's storage; the newest stays.
-- KEYS 1 log, 2 events
-- ARGV 1 bytes the log may take
-- Output bytes it takes now
-- Why a script: entries and their bytes change together. Readers see the gap by the oldest number, as where the log is full.
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or '0')
local left = redis.call('XLEN', KEYS[2])
while bytes > tonumber(ARGV[1]) and left > 1 do
  local entry = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], entry[1])
  bytes = bytes - 64 - #entry[2][2] - #entry[2][4]
  left = left - 1
end
redis.call('HSET', KEYS[1], 'bytes', bytes)
return bytes
