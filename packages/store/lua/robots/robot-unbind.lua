-- Removes a robot from its account's set, serials and labels, with the screens that it showed.
-- KEYS 1 the account's robots, 2 its serials, 3 its labels, 4 its stored bytes, 5 the robot's screens
-- ARGV 1 robot, 2 its serial or ''
-- Output 1 it was in the set | 0 it was not
-- Why a script: a serial that another robot has now stays with that robot, and no screen is appended behind the removal.
if ARGV[2] ~= '' and redis.call('HGET', KEYS[2], ARGV[2]) == ARGV[1] then redis.call('HDEL', KEYS[2], ARGV[2]) end
-- The removal precedes the count: Redis at its memory limit refuses a script's first write if it may need memory.
local listed = redis.call('SREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[5])
local labels = redis.call('HGET', KEYS[3], ARGV[1])
if labels then
  redis.call('HDEL', KEYS[3], ARGV[1])
  local stored = tonumber(string.match(redis.call('HGET', KEYS[4], 'labels') or '0', '^%d+')) - #ARGV[1] - #labels
  if stored > 0 then redis.call('HSET', KEYS[4], 'labels', string.format('%.0f 0', stored))
  else redis.call('HDEL', KEYS[4], 'labels') end
end
return listed
