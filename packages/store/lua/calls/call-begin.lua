-- Begins a call under an Idempotency-Key, or returns its state.
-- KEYS 1 call
-- ARGV 1 fingerprint of its action and arguments, 2 claim, 3 instance of the calling gateway, 4 TTL ms, 5 claim of a dead gateway, or ''
-- Output {'begun', text begun ms} the caller must execute it | {'other'} begun before with another fingerprint |
--        {'ended', text outcome (JSON)} | {'adopted', text begun ms} the caller now has the dead gateway's claim |
--        {'running', text claim, text instance, text begun ms}
-- Why a script: of all concurrent callers, on any gateway, one executes the call. Finding it running records that it is still wanted.
local call = redis.call('HMGET', KEYS[1], 'fingerprint', 'outcome', 'claim', 'gateway', 'begun_at')
if call[1] and call[1] ~= ARGV[1] then return {'other'} end
if call[2] then return {'ended', call[2]} end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
if not call[1] then
  redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'claim', ARGV[2], 'gateway', ARGV[3], 'begun_at', now)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return {'begun', now}
end
redis.call('HSET', KEYS[1], 'wanted_at', now)
if call[3] ~= ARGV[5] then return {'running', call[3], call[4], call[5]} end
redis.call('HSET', KEYS[1], 'claim', ARGV[2], 'gateway', ARGV[3])
return {'adopted', call[5]}
