-- Extends the claim of a renderer that draws without a job, and returns whether any gateway wants the render.
-- KEYS 1 render demand of the account, 2 claim of the render
-- ARGV 1 hash, 2 place, 3 TTL ms
-- Output {number wanted, number held} each 1 or 0. held 0: the claim expired, and another renderer may draw
-- Why a script: one command for each check; the claim of another renderer is not extended.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = redis.call('GET', KEYS[2]) == ARGV[2] and redis.call('PEXPIRE', KEYS[2], ARGV[3]) or 0
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')) do
  if string.sub(member, 1, #ARGV[1] + 1) == ARGV[1] .. ':' then return { 1, held } end
end
return { 0, held }
