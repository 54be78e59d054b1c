-- Adds a robot to its account's set with its labels and, if it has a serial number, makes it the robot of that serial.
-- KEYS 1 the account's robots, 2 its serials, 3 its labels, 4 its stored bytes, 5 its record
-- ARGV 1 time after which nothing is done (ms), 2 robot, 3 serial or '', 4 a robot without a record that the serial may still name, or '', 5 maximum
--        number of robots of an account without a limit of its own, '' for unlimited, 6 labels or ''
-- Output text the robot that has this serial now: ARGV 2, or another that was first | 'full <maximum>' the account has the maximum number of
--        robots | 'limited <maximum>' the same by the account's own limit | 'removing' the account is being removed | 'late'
-- Why a script: of two concurrent pairings of one robot one creates it and the other finds it, and parallel requests never exceed the maximum. A late
-- one does nothing (in-time.ts).
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[1]) then return 'late' end
local record = redis.call('HMGET', KEYS[5], 'removing', 'robots_max')
if record[1] then return 'removing' end
local bound = ARGV[3] ~= '' and redis.call('HGET', KEYS[2], ARGV[3])
if bound and bound ~= ARGV[4] then return bound end
local max = record[2] or ARGV[5]
if max ~= '' and max ~= 'none' and redis.call('SCARD', KEYS[1]) >= tonumber(max) then return (record[2] and 'limited ' or 'full ') .. max end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], ARGV[3], ARGV[2]) end
redis.call('SADD', KEYS[1], ARGV[2])
if ARGV[6] ~= '' then
  redis.call('HSET', KEYS[3], ARGV[2], ARGV[6])
  local stored = tonumber(string.match(redis.call('HGET', KEYS[4], 'labels') or '0', '^%d+'))
  redis.call('HSET', KEYS[4], 'labels', string.format('%.0f 0', stored + #ARGV[2] + #ARGV[6]))
end
return ARGV[2]
