-- Enters an OAuth client that registered, and chooses one to forget for it where too many are unused. An entry is `<site> <ms, 13 digits> <client>`.
-- KEYS 1 unused clients by time, 2 the same by site, 3 number of each site
-- ARGV 1 client, 2 its site, 3 maximum of a site, 4 maximum of all sites, 5 ms for which a client is not forgotten for others of its site,
--      6 ms that an unused client is kept
-- Output {'entered', text entry, text client to forget or ''} | {'full', number ms until the site has room}
-- Why a script: count, choice and entry are one step, so that registrations at several gateways never exceed the maximum.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local safe = now - tonumber(ARGV[5])

local function siteOf(entry)
  return string.match(entry, '^%S+')
end
local function timeOf(entry)
  return tonumber(string.match(entry, ' (%d+) '))
end
local function drop(entry)
  redis.call('ZREM', KEYS[1], entry)
  redis.call('ZREM', KEYS[2], entry)
  if tonumber(redis.call('ZINCRBY', KEYS[3], -1, siteOf(entry))) <= 0 then redis.call('ZREM', KEYS[3], siteOf(entry)) end
end
local function oldestOf(site)
  return redis.call('ZRANGE', KEYS[2], '[' .. site .. ' ', '+', 'BYLEX', 'LIMIT', 0, 1)[1]
end

for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[6]), 'LIMIT', 0, 100)) do drop(entry) end
local evicted = nil
if tonumber(redis.call('ZSCORE', KEYS[3], ARGV[2]) or '0') >= tonumber(ARGV[3]) then
  evicted = oldestOf(ARGV[2])
  if timeOf(evicted) > safe then return {'full', timeOf(evicted) - safe} end
elseif redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  if timeOf(oldest) > safe then
    evicted = oldestOf(redis.call('ZREVRANGE', KEYS[3], 0, 0)[1])
  else
    -- The first of the 100 sites with most that has a client to forget; in doubt the oldest of all.
    for _, site in ipairs(redis.call('ZREVRANGE', KEYS[3], 0, 99)) do
      evicted = oldestOf(site)
      if timeOf(evicted) <= safe then break end
      evicted = oldest
    end
  end
end
if evicted then drop(evicted) end
local entry = string.format('%s %013.0f %s', ARGV[2], now, ARGV[1])
redis.call('ZADD', KEYS[1], now, entry)
redis.call('ZADD', KEYS[2], 0, entry)
redis.call('ZINCRBY', KEYS[3], 1, ARGV[2])
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[6]) end
return {'entered', entry, evicted and string.match(evicted, '%S+$') or ''}
