-- Makes a link by which one account is given a robot to watch or to use.
-- KEYS 1 the robot's record, 2 guests, 3 share links
-- ARGV 1 time after which nothing is done (ms), 2 the account that shares it, 3 hash of the link's token, 4 permission, 5 lifetime ms, 6 maximum number
--      of people and links
-- Output number when it expires (ms) | 0 not a robot of this account | -1 the robot has the maximum number | 'late'
-- Why a script: parallel requests never exceed the maximum, and a removed robot gets no link. A late one does nothing (in-time.ts).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then return 'late' end
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[2] then return 0 end
local links = redis.call('HGETALL', KEYS[3])
for i = 1, #links, 2 do
  if tonumber(string.match(links[i + 1], '%d+$')) <= now then redis.call('HDEL', KEYS[3], links[i]) end
end
if redis.call('HLEN', KEYS[2]) + redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[6]) then return -1 end
local expires = now + tonumber(ARGV[5])
redis.call('HSET', KEYS[3], ARGV[3], string.format('%s %.0f', ARGV[4], expires))
redis.call('PEXPIRE', KEYS[3], ARGV[5])
return expires
