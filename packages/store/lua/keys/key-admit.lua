-- Checks the key of each of several calls and takes the call's actions from the key's bucket: one step of every action.
-- KEYS record of the key of each call; a key may be given more than once
-- ARGV 1 depth of the bucket, 2 µs for one action, 3 the calls with commas between, each with spaces between: cost (0 only checks) and the first
--      letters of the scopes that it needs, which a scoped key must have, but for `k` for `ask`, `p` for `approve` and `q` for one of both; robot, if it names one; the robot's account, if it is
--      not that of the last robot before
-- Output text a line for each call, its parts with a space between: unauthorized, foreign, scope, limited or ok, of a scoped key with
--        ':' and its scopes, and nothing in the place of ok without scopes; actions left, s until the bucket is full, s until `cost` fits, which may
--        be missing if it is 0, and for a call that names no robot, or one that the key does not reach: account, robots
-- Why a script: the bucket is exact over all instances, and a revoked, expired or changed key stops at once, in one round trip.
-- The record of a scoped key has `scoped`, its scopes and robots, and `robots` names none, so that a reader without scopes refuses it every robot.
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

local function admit(name, robot, account, cost, needs)
  local key = redis.call('HMGET', name, 'account', 'robots', 'bucket', 'last_used', 'scoped')
  if not key[1] then return 'unauthorized' end
  local robots, scopes, meets = key[2], nil, nil
  if key[5] then
    scopes, robots = string.match(key[5], '^(%a+) (%S+)$')
    scopes, robots = scopes or 'none', robots or ','
    meets = string.find(scopes, '[kp]') and scopes .. 'q' or scopes
  end

  -- GCRA as a level that drains with time. A clock that stepped back drains nothing, and is followed at once, or an empty bucket would stay empty until
  -- the clock catches up.
  local level, at = string.match(key[3] or '0 0', '(%d+) (%d+)')
  level, at = tonumber(level), tonumber(at)
  level = math.max(0, level - math.max(0, now - at))

  local status = 'ok'
  if robot ~= '' and (account ~= key[1] or (robots ~= '*' and not string.find(robots, ',' .. robot .. ',', 1, true))) then
    status = 'foreign'
  elseif meets and string.find(needs, '[^' .. meets .. ']') then
    status = 'scope'
  elseif cost > 0 then
    -- A call that costs more than the depth needs a full bucket, and the calls after it wait until the rest is paid, too.
    if level + math.min(cost, depth) * interval > depth * interval then status = 'limited' else level = level + cost * interval end
  end

  if (status == 'ok' and cost > 0) or now < at then write(name, 'bucket', string.format('%.0f %.0f', level, now)) end
  if status ~= 'foreign' and now / 1000 - tonumber(key[4] or '0') >= 60000 then
    write(name, 'last_used', string.format('%.0f', math.floor(now / 1000)))
  end

  local shown = scopes and status .. ':' .. scopes .. ' ' or status == 'ok' and '' or status .. ' '
  local free = depth * interval - level
  local left, missing = math.max(0, math.floor(free / interval)), math.max(0, math.min(cost, depth) * interval - free)
  local reply = string.format('%s%.0f %.0f', shown, left, math.ceil(level / 1000000))
  local missingS = string.format(' %.0f', math.ceil(missing / 1000000))
  if robot == '' or status == 'foreign' then return reply .. missingS .. ' ' .. key[1] .. ' ' .. robots end
  return missing > 0 and reply .. missingS or reply
end

local replies = {}
local account = ''
for cost, needs, robot, own in string.gmatch(ARGV[3], '(%d+)(%a*) ?([^ ,]*) ?([^ ,]*)') do
  if own ~= '' then account = own end
  replies[#replies + 1] = admit(KEYS[#replies + 1], robot, account, tonumber(cost), needs)
end
return table.concat(replies, '\n')
