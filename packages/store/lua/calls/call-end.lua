-- Writes how a call under an Idempotency-Key ended, or forgets it, and wakes who waits for it.
-- KEYS 1 call
-- ARGV 1 claim, 2 outcome (JSON), '' to forget a call that did nothing, 3 TTL ms, 4 publish command, 5 channel, 6 what is said on it
-- Output 1 written, 0 the call is not, or no longer, the claim's
-- Why a script: a gateway that was taken for dead must not write over what another one found out, nor forget what it does.
-- Replies and all else that was kept of the call while it ran go: the outcome is what is asked for from now on.
local call = redis.call('HMGET', KEYS[1], 'claim', 'fingerprint')
if call[1] ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'fingerprint', call[2], 'outcome', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
redis.call(ARGV[4], ARGV[5], ARGV[6])
return 1
