-- Writes the mark that a connection waits for with WAITAOF.
-- KEYS 1 mark
-- ARGV 1 TTL (ms)
-- Output 1
-- Why a script: Redis at its memory limit refuses SET, and what was revoked or removed then must still be confirmed. It refuses a script nothing
-- after a first write that takes no room, such as UNLINK.
redis.call('UNLINK', KEYS[1])
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return 1
