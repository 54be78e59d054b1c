-- Begins calls under an Idempotency-Key, or returns their states. A call that begins is counted in the bytes of its robot's calls.
-- KEYS of each call: call, bytes of its robot's calls
-- ARGV 1 TTL ms, 2 bytes of a call, 3 limit of a robot's bytes, 4 publish command, 5 number of batches of commands, then for each batch: channel, text
--      before its commands, text behind them; then for each call: with spaces between, fingerprint of its action and arguments, claim, instance of the
--      calling gateway, claim of a dead gateway or '', 1 if its account has room or 0, number of a batch or 0; command for that batch (JSON), published
--      if the call begins
-- Output [text] one for each call, its parts with a space between: begun, begun ms, bytes of the robot's calls, receivers of its command if it has one
--        (the caller must execute it); other (begun before with another fingerprint); full (not begun, no room); ended, outcome (JSON); adopted, begun
--        ms (the caller now has the dead gateway's claim); running, claim, instance, begun ms
-- Why a script: of all concurrent callers, on any gateway, one executes the call. Finding it running records that it is still wanted. A command leaves
-- only once its call is stored.
local ttl, bytes, limit, batches = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local now = string.format('%.0f', ms)
local minute = string.format('%.0f', ms - ms % 60000)
-- Bytes added in a minute count until the end of that minute and one TTL.
local until_ms = string.format('%.0f', ms - ms % 60000 + 60000 + ttl)

-- Once a minute, what no longer counts is removed, and the total is made from the rest.
local function total_of(name)
  local counted = redis.call('HMGET', name, 'total', 'minute')
  if counted[2] == minute then return tonumber(counted[1]) end
  local total = 0
  local over = {}
  local fields = redis.call('HGETALL', name)
  for i = 1, #fields, 2 do
    local ends = tonumber(fields[i])
    if ends and ends <= ms then table.insert(over, fields[i]) elseif ends then total = total + tonumber(fields[i + 1]) end
  end
  -- Redis at its memory limit refuses a script's first write if it may need memory, and nothing after one that needs none: HDEL comes last.
  redis.call('HSET', name, 'minute', minute, 'total', total)
  redis.call('PEXPIRE', name, ttl + 60000)
  if #over > 0 then redis.call('HDEL', name, unpack(over)) end
  return total
end

local function begin(name, quota, fingerprint, claim, gateway, dead, room)
  local call = redis.call('HMGET', name, 'fingerprint', 'outcome', 'claim', 'gateway', 'begun_at')
  if call[1] and call[1] ~= fingerprint then return 'other' end
  if call[2] then return 'ended ' .. call[2] end
  if call[1] then
    redis.call('HSET', name, 'wanted_at', now)
    if call[3] ~= dead then return 'running ' .. call[3] .. ' ' .. call[4] .. ' ' .. call[5] end
    redis.call('HSET', name, 'claim', claim, 'gateway', gateway)
    return 'adopted ' .. call[5]
  end
  if room == '0' or total_of(quota) + bytes > limit then return 'full' end
  redis.call('HSET', name, 'fingerprint', fingerprint, 'claim', claim, 'gateway', gateway, 'begun_at', now)
  redis.call('PEXPIRE', name, ttl)
  redis.call('HINCRBY', quota, until_ms, bytes)
  return 'begun ' .. now .. ' ' .. redis.call('HINCRBY', quota, 'total', bytes)
end

local states, commands = {}, {}
for i = 1, batches do commands[i] = {of = {}} end
for i = 1, #KEYS / 2 do
  local at = 3 + 3 * batches + 2 * i
  local fingerprint, claim, gateway, dead, room, number = string.match(ARGV[at + 1], '^(%S*) (%S*) (%S*) (%S*) ([01]) (%d+)$')
  states[i] = begin(KEYS[2 * i - 1], KEYS[2 * i], fingerprint, claim, gateway, dead, room)
  local batch = commands[tonumber(number)]
  if batch and string.sub(states[i], 1, 6) == 'begun ' then
    table.insert(batch, ARGV[at + 2])
    table.insert(batch.of, i)
  end
end
for i, batch in ipairs(commands) do
  if #batch > 0 then
    local at = 3 + 3 * i
    local receivers = redis.call(ARGV[4], ARGV[at], ARGV[at + 1] .. table.concat(batch, ',') .. ARGV[at + 2])
    for _, call in ipairs(batch.of) do states[call] = states[call] .. ' ' .. receivers end
  end
end
return states
