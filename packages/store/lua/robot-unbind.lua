-- Takes a robot out of its account's set and serials.
-- KEYS 1 the account's robots, 2 its serials
-- ARGV 1 robot, 2 its serial or ''
-- Output 1 it was in the set, 0 it was not
-- Why a script: a serial that another robot has by now stays with that one.
if ARGV[2] ~= '' and redis.call('HGET', KEYS[2], ARGV[2]) == ARGV[1] then redis.call('HDEL', KEYS[2], ARGV[2]) end
return redis.call('SREM', KEYS[1], ARGV[1])
