-- Writes a value that the session's lease protects: the robot's last readings, the sound being played, or the card that shows.
-- KEYS 1 lease, 2 the key
-- ARGV 1 session, 2 value, '' to delete, 3 TTL in ms or 0
-- Output 1 written | 0 another session has the lease
-- Why a script: an instance that lost the lease must not write for the robot.
if redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[2])
elseif ARGV[3] == '0' then redis.call('SET', KEYS[2], ARGV[2])
else redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3]) end
return 1
