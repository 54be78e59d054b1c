-- Stores the bytes of places of an account, and returns the account's total.
-- KEYS 1 stored, 2 the account's record
-- ARGV 1 now (ms), then for each place: name, bytes, expiry (ms) or 0
-- Output {number total bytes, number robots with events}
-- Why a script: an account's robots lie on other nodes of a Cluster, so their bytes are reported here; the total is consistent.
-- A report that arrives after the removal of the account writes nothing.
if #ARGV > 1 and redis.call('EXISTS', KEYS[2]) == 0 then return {0, 0} end
for i = 2, #ARGV, 3 do
  if ARGV[i + 1] == '0' then redis.call('HDEL', KEYS[1], ARGV[i])
  else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1] .. ' ' .. ARGV[i + 2]) end
end
local all = redis.call('HGETALL', KEYS[1])
local total, logs = 0, 0
for i = 1, #all, 2 do
  local bytes, ends = string.match(all[i + 1], '^(%d+) (%d+)$')
  if ends ~= '0' and tonumber(ends) < tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], all[i])
  else
    total = total + tonumber(bytes)
    if string.sub(all[i], 1, 7) == 'events:' then logs = logs + 1 end
  end
end
return {total, logs}
