-- Adds a robot to its account's set and, if it has a serial number, makes it the robot of that serial.
-- KEYS 1 the account's robots, 2 its serials
-- ARGV 1 robot, 2 serial or '', 3 a robot without a record that the serial may still name, or '', 4 maximum number of robots, '' for no bound
-- Output the robot that has this serial now: ARGV 1, or another that was first; '' when the account has the maximum number of robots
-- Why a script: of two pairings of one body at the same time one makes the robot and the other finds it, and count and entry are one step, so
-- that parallel requests on any number of gateways never exceed the maximum.
local bound = ARGV[2] ~= '' and redis.call('HGET', KEYS[2], ARGV[2])
if bound and bound ~= ARGV[3] then return bound end
if ARGV[4] ~= '' and redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[4]) then return '' end
if ARGV[2] ~= '' then redis.call('HSET', KEYS[2], ARGV[2], ARGV[1]) end
redis.call('SADD', KEYS[1], ARGV[1])
return ARGV[1]
