-- Announces free places of a renderer, and renews those that it announced before.
-- KEYS 1 places of renderers
-- ARGV 1 TTL ms, 2 number of places to announce, 3... these, then those to renew
-- Output [text] places to renew that are not there: a request for them may be on its way
-- Why a script: a place that a gateway has just taken is not announced again.
local time = redis.call('TIME')
local untilMs = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1])
local missing = {}
for i = 3, #ARGV do
  if i < 3 + tonumber(ARGV[2]) or redis.call('ZSCORE', KEYS[1], ARGV[i]) then redis.call('ZADD', KEYS[1], untilMs, ARGV[i])
  else missing[#missing + 1] = ARGV[i] end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return missing
