-- Ends the claim of a renderer, and announces its place again.
-- KEYS 1 claim of the render, 2 places of renderers
-- ARGV 1 place, 2 TTL ms of the place; 0: it is not free
-- Output 1 ended | 0 the claim had expired
-- Why a script: a renderer never ends the claim of another one, and a place is free no sooner than its claim has ended.
local held = redis.call('GET', KEYS[1]) == ARGV[1]
if held then redis.call('DEL', KEYS[1]) end
if tonumber(ARGV[2]) > 0 then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[2], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]), ARGV[1])
  redis.call('PEXPIRE', KEYS[2], ARGV[2])
end
return held and 1 or 0
