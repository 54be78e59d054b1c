-- Adds an entry to a storage quota, if its bytes fit within the limit.
-- KEYS 1 quota, 2 quota bytes
-- ARGV 1 entry, 2 bytes, 3 TTL ms, 4 limit
-- Output number bytes of all entries including this one | 0 it does not fit
-- Why a script: concurrent reservations never exceed the limit; expired entries are removed first.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local total = tonumber(redis.call('HGET', KEYS[2], 'total') or '0')

local ended = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1000)
for _, entry in ipairs(ended) do
  total = total - tonumber(redis.call('HGET', KEYS[2], entry) or '0')
  redis.call('HDEL', KEYS[2], entry)
  redis.call('ZREM', KEYS[1], entry)
end

local before = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
local fits = total - before + tonumber(ARGV[2]) <= tonumber(ARGV[4])
if fits then
  total = total - before + tonumber(ARGV[2])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
end
if fits or #ended > 0 then redis.call('HSET', KEYS[2], 'total', string.format('%.0f', total)) end

-- Both keys live as long as the last entry.
if fits and redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
if fits and redis.call('PTTL', KEYS[2]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
return fits and total or 0
