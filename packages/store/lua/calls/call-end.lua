-- Stores the outcome of a call under an Idempotency-Key, or deletes the call, and notifies waiting callers.
-- KEYS 1 call
-- ARGV 1 claim, 2 outcome (JSON), '' to delete a call that did nothing, 3 TTL ms, 4 publish command, 5 channel, 6 message to publish
-- Output 1 written | 0 the call does not have this claim (any more)
-- Why a script: a gateway that was taken for dead must neither overwrite nor delete what its successor wrote.
local call = redis.call('HMGET', KEYS[1], 'claim', 'fingerprint')
if call[1] ~= ARGV[1] then return 0 end
-- Replies and other fields of the running call are deleted: from now on only the outcome is read.
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'fingerprint', call[2], 'outcome', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
redis.call(ARGV[4], ARGV[5], ARGV[6])
return 1
