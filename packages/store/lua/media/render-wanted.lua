-- Returns whether any gateway wants a render.
-- KEYS 1 render demand of the account
-- ARGV 1 hash
-- Output 1 wanted | 0 not
-- Why a script: it uses Redis' time, and sends no list.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')) do
  if string.sub(member, 1, #ARGV[1] + 1) == ARGV[1] .. ':' then return 1 end
end
return 0
