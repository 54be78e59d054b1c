-- Enters or renews one gateway's demand for a render, if the account's share has room for the render.
-- KEYS 1 render demand of the account
-- ARGV 1 hash, 2 queue, 3 pixels, 4 flight, 5 maximum number of jobs, 6 maximum number of pixels, 7 TTL ms
-- Output {'ok', number position} renders of the account wanted in this queue, including this one |
--        {'jobs'} | {'pixels'} the limit that leaves no room, nothing is entered
-- Why a script: concurrent requests never exceed the limits. Counts are derived from the demand, which expires, so they cannot drift. Equal renders
-- count once. A render above the limit of pixels is admitted when the account has no other: its caller could never be served otherwise.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))

local jobs, pixels, position = 0, 0, 0
local seen = {}
for _, member in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  local hash, queue, size = string.match(member, '^([^:]+):([^:]+):(%d+):')
  if not seen[hash] then
    seen[hash] = true
    jobs = jobs + 1
    pixels = pixels + tonumber(size)
    if queue == ARGV[2] then position = position + 1 end
  end
end

if not seen[ARGV[1]] then
  if jobs >= tonumber(ARGV[5]) then return { 'jobs' } end
  if jobs > 0 and pixels + tonumber(ARGV[3]) > tonumber(ARGV[6]) then return { 'pixels' } end
  position = position + 1
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[7]), table.concat({ ARGV[1], ARGV[2], ARGV[3], ARGV[4] }, ':'))
redis.call('PEXPIRE', KEYS[1], ARGV[7])
return { 'ok', position }
