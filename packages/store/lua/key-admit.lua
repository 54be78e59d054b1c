-- Whether a key may do this, and its bucket: one step of every action.
-- KEYS 1 the key's record
-- ARGV 1 robot or '', 2 the robot's account or '', 3 cost (0 only looks), 4 depth of the bucket, 5 µs for one action
-- Output one text, its parts with a space between: 'unauthorized' | 'foreign' | 'limited' | 'ok', actions left, µs until the bucket is full,
-- µs until `cost` fits, and of a call that names no robot: account, robots
-- Why a script: the bucket is exact over all instances, and a key that is revoked, expired or changed stops at once, for one round trip.
-- The bucket is a field of the record and not a key of its own: a second name of 50 characters would go over the wire with each action.
local key = redis.call('HMGET', KEYS[1], 'account', 'robots', 'bucket', 'last_used')
if not key[1] then return 'unauthorized' end

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local cost, depth, interval = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

-- GCRA as a level that runs out with time. A clock that stepped back takes nothing off the level, and is followed at once:
-- were `at` left in the future, a bucket that was empty at the step would stay empty until the clock is there again.
local level, at = string.match(key[3] or '0 0', '(%d+) (%d+)')
level, at = tonumber(level), tonumber(at)
level = math.max(0, level - math.max(0, now - at))

local status = 'ok'
if ARGV[1] ~= '' and (ARGV[2] ~= key[1] or (key[2] ~= '*' and not string.find(key[2], ',' .. ARGV[1] .. ',', 1, true))) then
  status = 'foreign'
elseif cost > 0 then
  if level + cost * interval > depth * interval then status = 'limited' else level = level + cost * interval end
end

if (status == 'ok' and cost > 0) or now < at then
  redis.call('HSET', KEYS[1], 'bucket', string.format('%.0f %.0f', level, now))
end
if status ~= 'foreign' and now / 1000 - tonumber(key[4] or '0') >= 60000 then
  redis.call('HSET', KEYS[1], 'last_used', string.format('%.0f', math.floor(now / 1000)))
end

local free = depth * interval - level
local said = string.format('%s %.0f %.0f %.0f', status, math.floor(free / interval), level, math.max(0, cost * interval - free))
if ARGV[1] ~= '' then return said end
return said .. ' ' .. key[1] .. ' ' .. key[2]
