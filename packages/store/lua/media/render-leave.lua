-- Withdraws one gateway's demand for a render.
-- KEYS 1 render demand of the account
-- ARGV 1 hash, 2 queue, 3 pixels, 4 flight
-- Output 1 another gateway still wants the render | 0 none does
-- Why a script: of several gateways that leave concurrently the last one learns that it is the last.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', KEYS[1], table.concat({ ARGV[1], ARGV[2], ARGV[3], ARGV[4] }, ':'))
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')) do
  if string.sub(member, 1, #ARGV[1] + 1) == ARGV[1] .. ':' then return 1 end
end
return 0
