-- Enters or renews one gateway's demand for a render, if the account's share has room for the render, and sends the render to a free place of a
-- renderer, if no job waits in the queue. Enters nothing if the result is stored, where the gateway asks for that.
-- KEYS 1 render demand of the account, 2 claim of the render, 3 places of renderers, 4 prioritized jobs of the queue, 5 waiting jobs of the queue,
--      6 result of the render, or key 2: do not look
-- ARGV 1 hash, 2 queue, 3 pixels, 4 flight, 5 maximum number of jobs, 6 maximum number of pixels, 7 TTL ms, 8 request for a place, or '',
--      9 publish command, 10 prefix of the renderers' channels, 11 TTL ms of the claim
-- Output {'queue' | 'claimed', number position} renders of the account wanted in this queue, including this one. claimed: a renderer has the render;
--        queue: the caller adds a job | {'jobs'} | {'pixels'} the limit that leaves no room, nothing is entered | {'stored'} nothing is entered
-- Why a script: concurrent requests never exceed the limits. Counts are derived from the demand, which expires, so they cannot drift. Equal renders
-- count once. A render above the limit of pixels is admitted when the account has no other: its caller could never be served otherwise. Of equal
-- requests one gets a place, and no render overtakes a job that waits.
-- Most often there is neither.
local isKnown = redis.call('EXISTS', KEYS[6], KEYS[2]) > 0
if isKnown and KEYS[6] ~= KEYS[2] and redis.call('EXISTS', KEYS[6]) == 1 then return { 'stored' } end
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

local isFirst = not seen[ARGV[1]]
if isFirst then
  if jobs >= tonumber(ARGV[5]) then return { 'jobs' } end
  if jobs > 0 and pixels + tonumber(ARGV[3]) > tonumber(ARGV[6]) then return { 'pixels' } end
  position = position + 1
end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[7]), table.concat({ ARGV[1], ARGV[2], ARGV[3], ARGV[4] }, ':'))
redis.call('PEXPIRE', KEYS[1], ARGV[7])
if isKnown then return { 'claimed', position } end
-- A render that others want without a claim is in the queue, or about to be.
if not isFirst or ARGV[8] == '' or redis.call('ZCARD', KEYS[4]) > 0 or redis.call('LLEN', KEYS[5]) > 0 then return { 'queue', position } end

redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', now))
for _, place in ipairs(redis.call('ZREVRANGE', KEYS[3], 0, 9)) do
  redis.call('ZREM', KEYS[3], place)
  -- A renderer that lost its subscription receives nothing.
  if redis.call(ARGV[9], ARGV[10] .. string.match(place, '^[^/]*'), place .. ' ' .. ARGV[8]) > 0 then
    redis.call('SET', KEYS[2], place, 'PX', ARGV[11])
    return { 'claimed', position }
  end
end
return { 'queue', position }
