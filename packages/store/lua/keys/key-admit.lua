-- Checks the key of each of several calls and takes the call's actions from the key's bucket: one step of every action.
-- KEYS record of the key of each call; a key may be given more than once
-- ARGV 1 depth of the bucket, 2 µs for one action, then for each call with spaces between: cost (0 only checks), robot or '', the robot's account or ''
-- Output one text for each call, its parts with a space between: 'unauthorized' | 'foreign' | 'limited' | 'ok', actions left,
--        µs until the bucket is full, µs until `cost` fits, and for a call that names no robot,
--        or one that the key does not reach: account, robots
-- Why a script: the bucket is exact over all instances, and a revoked, expired or changed key stops at once, in one round trip.
-- The bucket is a field of the record: a second key name of 50 characters would be sent with each action.
local depth, interval = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Redis at its memory limit refuses a script's first write if it may need memory, and nothing after one that needs none. Keys are still admitted, by
-- their exact bucket: state, events and stop must work.
local function write(name, field, value)
  local reply = redis.pcall('HSET', name, field, value)
  if type(reply) ~= 'table' or not reply.err then return end
  redis.call('HDEL', name, '')
  redis.call('HSET', name, field, value)
end

local function admit(name, robot, account, cost)
  local key = redis.call('HMGET', name, 'account', 'robots', 'bucket', 'last_used')
  if not key[1] then return 'unauthorized' end

  -- GCRA as a level that drains with time. A clock that stepped back drains nothing, and is followed at once, or an empty bucket would stay empty until
  -- the clock catches up.
  local level, at = string.match(key[3] or '0 0', '(%d+) (%d+)')
  level, at = tonumber(level), tonumber(at)
  level = math.max(0, level - math.max(0, now - at))

  local status = 'ok'
  if robot ~= '' and (account ~= key[1] or (key[2] ~= '*' and not string.find(key[2], ',' .. robot .. ',', 1, true))) then
    status = 'foreign'
  elseif cost > 0 then
    if level + cost * interval > depth * interval then status = 'limited' else level = level + cost * interval end
  end

  if (status == 'ok' and cost > 0) or now < at then write(name, 'bucket', string.format('%.0f %.0f', level, now)) end
  if status ~= 'foreign' and now / 1000 - tonumber(key[4] or '0') >= 60000 then
    write(name, 'last_used', string.format('%.0f', math.floor(now / 1000)))
  end

  local free = depth * interval - level
  local reply = string.format('%s %.0f %.0f %.0f', status, math.floor(free / interval), level, math.max(0, cost * interval - free))
  if robot ~= '' and status ~= 'foreign' then return reply end
  return reply .. ' ' .. key[1] .. ' ' .. key[2]
end

local replies = {}
for i, name in ipairs(KEYS) do
  local cost, robot, account = string.match(ARGV[2 + i], '^(%d+) (%S*) (%S*)$')
  replies[i] = admit(name, robot, account, tonumber(cost))
end
return replies
