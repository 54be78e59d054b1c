-- Writes the mark that a connection waits for with WAITAOF.
-- KEYS 1 mark
-- ARGV 1 TTL (ms)
-- Output 1
-- Why a script: Redis at its memory limit refuses SET, but must still confirm revocations and removals; see instance-beat.lua.
redis.call('PEXPIRE', KEYS[1], ARGV[1])
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return 1
