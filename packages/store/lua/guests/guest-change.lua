-- Changes what a person with whom a robot is shared may do, or ends the sharing.
-- KEYS 1 the robot's record, 2 guests
-- ARGV 1 the account that owns the robot, 2 the person's account, 3 permission, or '' to end it
-- Output text the entry as it is now, or was (`<permission> <since> <e-mail address>`); '' if it is not a robot of this
--        account, or not shared with the person
-- Why a script: a change must not give the robot back to someone who was removed meanwhile.
if redis.call('HGET', KEYS[1], 'account') ~= ARGV[1] then return '' end
local entry = redis.call('HGET', KEYS[2], ARGV[2])
if not entry then return '' end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[2], ARGV[2])
  return entry
end
local changed = ARGV[3] .. string.match(entry, ' .*$')
redis.call('HSET', KEYS[2], ARGV[2], changed)
return changed
