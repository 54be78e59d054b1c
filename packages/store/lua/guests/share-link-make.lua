-- Makes a link by which one account is given a robot to watch or to use.
-- KEYS 1 the robot's record, 2 guests, 3 share links
-- ARGV 1 the account that shares it, 2 hash of the link's token, 3 permission, 4 lifetime ms, 5 maximum number of people and links
-- Output number when it expires (ms) | 0 not a robot of this account | -1 the robot has the maximum number
-- Why a script: parallel requests never exceed the maximum, and a removed robot gets no link.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local links = redis.call('HGETALL', KEYS[3])
for i = 1, #links, 2 do
  if tonumber(string.match(links[i + 1], '%d+$')) <= now then redis.call('HDEL', KEYS[3], links[i]) end
end
if redis.call('HLEN', KEYS[2]) + redis.call('HLEN', KEYS[3]) >= tonumber(ARGV[5]) then return -1 end
local expires = now + tonumber(ARGV[4])
redis.call('HSET', KEYS[3], ARGV[2], string.format('%s %.0f', ARGV[3], expires))
redis.call('PEXPIRE', KEYS[3], ARGV[4])
return expires
