-- Enters an uploaded picture in its account's list, and removes the oldest entries that no longer fit beside it.
-- KEYS 1 pictures
-- ARGV 1 entry `<id>:<bytes>`, 2 bytes, 3 TTL ms, 4 maximum bytes of all, 5 maximum number
-- Output [text] the entries removed, which had not expired
-- Why a script: concurrent uploads never leave more than the maximum, and each removed picture is deleted by one of them.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
redis.call('ZREM', KEYS[1], ARGV[1])
local entries = redis.call('ZRANGE', KEYS[1], 0, -1)
local bytes, count = tonumber(ARGV[2]), #entries + 1
for _, entry in ipairs(entries) do bytes = bytes + tonumber(string.match(entry, ':(%d+)$')) end
local removed = {}
for _, entry in ipairs(entries) do
  if bytes <= tonumber(ARGV[4]) and count <= tonumber(ARGV[5]) then break end
  redis.call('ZREM', KEYS[1], entry)
  bytes = bytes - tonumber(string.match(entry, ':(%d+)$'))
  count = count - 1
  removed[#removed + 1] = entry
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return removed
