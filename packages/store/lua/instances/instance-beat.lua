-- Writes the heartbeat of an instance, or its announcement.
-- KEYS 1 heartbeat, or announcement
-- ARGV 1 now (ms), or the announcement, 2 TTL (ms), 3 the mark of instance-gone.lua that the instance knows of, or ''
-- Output 1 written | text mark: nothing is written, since a reader has counted the instance as dead and it does not know yet
-- Why a script: only an instance that has read the mark replaces it. And Redis at its memory limit refuses SET, and without a heartbeat every robot of
-- the instance would count as away; after PEXPIRE, which needs no memory, it refuses a script nothing. If it refuses
-- SET for another reason, the heartbeat before must still be there.
local before = redis.call('GET', KEYS[1])
if before and string.sub(before, 1, 1) == '-' and before ~= ARGV[3] then return before end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
