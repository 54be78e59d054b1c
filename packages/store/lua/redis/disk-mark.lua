-- Writes the mark that a connection waits for with WAITAOF.
-- KEYS 1 mark
-- ARGV 1 TTL (ms)
-- Output 1
-- Why a script: Redis at its memory limit refuses SET, but revocations and removals must still be confirmed then. After a first write that needs no
-- memory, such as UNLINK, it refuses a script nothing.
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return 1
