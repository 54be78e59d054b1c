-- Appends entries to the activity of an account and counts its usage of a day, and drops entries that are old or beyond the limit of bytes.
-- KEYS 1 account record, 2 activity head, 3 calls, 4 changes, 5 usage
-- ARGV 1 ms that entries are kept, 2 bytes of calls kept, 3 bytes of changes kept, 4 ms that the usage is kept, 5 fields of the usage, 6 number of chunks,
--      then for each chunk: 'calls' | 'changes', number of entries, JSON; then '' or, with spaces between, for each field of the usage: field
--      (without `:calls`), number to add
-- Output number of the last entry | 0 the account does not exist or is being removed, and nothing was written
-- Why a script: entries of all gateways are numbered in one order, the bytes are counted with what they count, and a removed account gets no entries.
-- A number is at least Redis' time in ms, so that numbers ascend even if Redis lost entries, and tell how old an entry is.
local record = redis.call('HMGET', KEYS[1], 'created_at', 'removing')
if not record[1] or record[2] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local keptMs = tonumber(ARGV[1])
local head = redis.call('HMGET', KEYS[2], 'seq', 'calls', 'changes')
local seq = tonumber(head[1] or '0')
local bytes = { calls = tonumber(head[2] or '0'), changes = tonumber(head[3] or '0') }
local streams = { calls = KEYS[3], changes = KEYS[4] }
local bounds = { calls = tonumber(ARGV[2]), changes = tonumber(ARGV[3]) }
local whole = '%.0f'
-- Bytes that a stream takes for an entry besides its JSON, about.
local overhead = 48

local at = 7
local written = {}
for _ = 1, tonumber(ARGV[6]) do
  local kind, entries, json = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  at = at + 3
  local first = math.max(seq + 1, now)
  seq = first + entries - 1
  -- Redis may have expired the stream and not yet the head.
  if not written[kind] and redis.call('EXISTS', streams[kind]) == 0 then bytes[kind] = 0 end
  redis.call('XADD', streams[kind], string.format('%.0f-0', first), 'n', entries, 'e', json)
  bytes[kind] = bytes[kind] + #json + overhead
  written[kind] = true
end

-- At most 100, so that Redis is not blocked for long; the next append drops more.
local function trim(kind)
  local oldest = now - keptMs
  for _ = 1, 100 do
    local first = redis.call('XRANGE', streams[kind], '-', '+', 'COUNT', 1)[1]
    if not first then return end
    if bytes[kind] <= bounds[kind] and tonumber(string.match(first[1], '^%d+')) >= oldest then return end
    redis.call('XDEL', streams[kind], first[1])
    bytes[kind] = bytes[kind] - #first[2][4] - overhead
  end
end
for kind in pairs(written) do
  trim(kind)
  redis.call('PEXPIRE', streams[kind], keptMs)
end
if next(written) then
  redis.call('HSET', KEYS[2], 'seq', string.format(whole, seq), 'calls', bytes.calls, 'changes', bytes.changes)
  redis.call('PEXPIRE', KEYS[2], keptMs)
end

local usage = ARGV[at]
local fields = usage ~= '' and redis.call('HLEN', KEYS[5]) or 0
for name, added in string.gmatch(usage, '(%S+) (%d+)') do
  local field = string.find(name, ':', 1, true) and name or name .. ':calls'
  -- Beyond the limit, keys are counted together.
  if fields >= tonumber(ARGV[5]) and redis.call('HEXISTS', KEYS[5], field) == 0 then field = 'other' .. string.match(field, ':.+$') end
  if redis.call('HINCRBY', KEYS[5], field, added) == tonumber(added) then fields = fields + 1 end
end
if usage ~= '' then redis.call('PEXPIRE', KEYS[5], ARGV[4]) end
return seq
