-- Reads a robot's events after a number, with the highest and the oldest number at that moment.
-- KEYS 1 log, 2 events
-- ARGV 1 after, 2 maximum number of events, 3 '1' for the newest of them instead of the oldest
-- Output {text last seq, text first seq kept or '', text first seq after numbering last jumped or '', [{text id, [text field or value]}] entries
--        (oldest first)} | {'aged'} the oldest has exceeded its age: drop such events first (events-trim.lua)
-- If all events have been dropped, the first seq is the lowest number that the next event can have.
-- Why a script: `last_seq` must cover exactly the entries of the same moment.
local log = redis.call('HMGET', KEYS[1], 'seq', 'jumped_to')
local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
local first = ''
if oldest[1] then
  -- The TTL was set to the maximum age of events when the newest was appended. Without a log the robot is being removed; what is left is unchanged.
  local ttl = redis.call('PTTL', KEYS[2])
  if ttl >= 0 and log[1] then
    local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)
    if tonumber(newest[1][2][6]) - tonumber(oldest[1][2][6]) > ttl then return {'aged'} end
  end
  first = string.match(oldest[1][1], '^%d+')
elseif log[1] and log[1] ~= '0' then
  first = string.format('%.0f', tonumber(log[1]) + 1)
end
local from = string.format('%.0f-0', tonumber(ARGV[1]) + 1)
local entries
if ARGV[3] == '1' then
  local newest = redis.call('XREVRANGE', KEYS[2], '+', from, 'COUNT', ARGV[2])
  entries = {}
  for i = #newest, 1, -1 do entries[#entries + 1] = newest[i] end
else
  entries = redis.call('XRANGE', KEYS[2], from, '+', 'COUNT', ARGV[2])
end
return {log[1] or '0', first, log[2] or '', entries}
