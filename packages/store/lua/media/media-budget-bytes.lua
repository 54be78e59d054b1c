-- Sums the bytes that are charged to a master's media budget.
-- KEYS 1 budget, 2 budget bytes
-- Output text bytes
-- Why a script: expired entries stay charged until the next one is added (media-budget-reserve.lua), and must not count. It writes nothing.
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local bytes = 0
for _, sum in ipairs(redis.call('HMGET', KEYS[2], 'reserved', 'shared')) do bytes = bytes + tonumber(sum or '0') end
for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 1000)) do
  bytes = bytes - tonumber(string.match(redis.call('HGET', KEYS[2], entry) or '', '^[rs](%d+)$') or '0')
end
return string.format('%.0f', math.max(0, bytes))
