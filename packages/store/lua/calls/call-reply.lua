-- Keeps how a command of a call under an Idempotency-Key ended, for whoever goes on when the gateway that sent it is dead.
-- KEYS 1 call
-- ARGV 1 step of the call, 2 reply (JSON)
-- Output 1 kept, 0 the call is forgotten, or over
-- Why a script: a call that is forgotten is not made again without its end. Any session may write: what a robot acked is true whoever holds it now.
if redis.call('HEXISTS', KEYS[1], 'claim') == 0 then return 0 end
redis.call('HSET', KEYS[1], 'reply:' .. ARGV[1], ARGV[2])
return 1
