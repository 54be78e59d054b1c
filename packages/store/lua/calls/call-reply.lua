-- Stores the reply to a command of a call under an Idempotency-Key, for the gateway that continues the call if its own gateway dies.
-- KEYS 1 call
-- ARGV 1 step of the call, 2 reply (JSON)
-- Output 1 stored | 0 the call was deleted or is over
-- Why a script: the reply must not recreate a deleted call without its TTL. Any session may write: what a robot acknowledged stays true.
if redis.call('HEXISTS', KEYS[1], 'claim') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'reply:' .. ARGV[1], ARGV[2])
return 1
