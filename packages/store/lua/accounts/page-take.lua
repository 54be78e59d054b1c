-- Takes actions of the web page from the bucket that all sessions of an account share.
-- KEYS 1 bucket
-- ARGV 1 depth of the bucket, 2 µs for one action, 3 cost
-- Output text actions left, s until the bucket is full, s until `cost` fits (0: it was taken), with spaces between
-- Why a script: the bucket is exact over all sessions and gateways. It drains, and admits a cost above its depth, as that of a key (key-admit.lua).
local depth, interval, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local level, at = string.match(redis.call('GET', KEYS[1]) or '0 0', '(%d+) (%d+)')
level, at = tonumber(level), tonumber(at)
level = math.max(0, level - math.max(0, now - at))
local missing = math.max(0, level + math.min(cost, depth) * interval - depth * interval)
if missing == 0 then level = level + cost * interval end
if (missing == 0 and cost > 0) or now < at then
  -- Redis at its memory limit refuses a script's first write if it may need memory, and nothing after one that needs none.
  redis.call('DEL', KEYS[1])
  if level > 0 then redis.call('SET', KEYS[1], string.format('%.0f %.0f', level, now), 'PX', string.format('%.0f', math.ceil(level / 1000))) end
end
local left = math.max(0, math.floor((depth * interval - level) / interval))
return string.format('%.0f %.0f %.0f', left, math.ceil(level / 1000000), math.ceil(missing / 1000000))
