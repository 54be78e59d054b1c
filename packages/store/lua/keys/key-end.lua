-- Sets when the record of a key whose secret is being replaced ends, or takes that back because the replacement was never confirmed.
-- KEYS 1 record of the key
-- ARGV 1 hash of the new secret, 2 'end' | 'restore', 3 when the record ends (ms), '' for never
-- Output 1 done | 0 the record does not exist, or its end was set by another replacement
-- Why a script: an instance that takes an end back late must not take back the end that a later replacement has set.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if ARGV[2] == 'end' then
  redis.call('HSET', KEYS[1], 'ended_by', ARGV[1])
else
  if redis.call('HGET', KEYS[1], 'ended_by') ~= ARGV[1] then return 0 end
  redis.call('HDEL', KEYS[1], 'ended_by')
end
if ARGV[3] == '' then redis.call('PERSIST', KEYS[1]) else redis.call('PEXPIREAT', KEYS[1], ARGV[3]) end
return 1
