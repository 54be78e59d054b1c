-- Stores in a single write a number that a master acknowledged in a transaction.
-- KEYS 1 number stored in a transaction, 2 number stored in a single write
-- ARGV 1 number
-- Output 1 | 0 this master does not have the number: it took over from the one that acknowledged it
-- Why a script: a lower number than the stored one, of a slower instance, could hide a loss, and a write to a master that lacks the number would look
-- like one. Redis stores a script with one write as a plain command, which it executes without a check when it loads its append-only file. HDEL
-- removes nothing and writes nothing; after it a Redis at its memory limit refuses a script nothing.
if tonumber(redis.call('HGET', KEYS[1], 'number') or '0') < tonumber(ARGV[1]) then return 0 end
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[1]) then return 1 end
redis.call('HDEL', KEYS[1], 'none')
redis.call('SET', KEYS[2], ARGV[1])
return 1
