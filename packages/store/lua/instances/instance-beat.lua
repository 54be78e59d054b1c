-- Writes the heartbeat of an instance, or its announcement.
-- KEYS 1 heartbeat, or announcement
-- ARGV 1 now (ms), or the announcement, 2 TTL (ms)
-- Output 1
-- Why a script: Redis at its memory limit refuses SET, and without a heartbeat every robot of the instance would count as away; after UNLINK, which
-- needs no memory, it refuses a script nothing.
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
