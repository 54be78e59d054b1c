-- Stores the outcome of a call under an Idempotency-Key, or deletes the call, and notifies waiting callers.
-- KEYS 1 call, 2 bytes of its robot's calls
-- ARGV 1 claim, 2 outcome (JSON), '' to delete a call that did nothing, 3 TTL ms, 4 publish command, 5 channel, 6 message to publish,
--      7 bytes of the outcome beyond those of a call, 8 limit of a robot's bytes, 9 outcome that replaces one for which there is no room (JSON)
-- Output 1 written, or the robot-link has stored the outcome | 0 the call does not have this claim (any more)
-- Why a script: a gateway that was taken for dead must neither overwrite nor delete what its successor wrote.
local call = redis.call('HMGET', KEYS[1], 'claim', 'fingerprint', 'outcome')
if call[1] ~= ARGV[1] then return 0 end
-- The outcome that call-reply.lua stored may have been returned already.
if call[3] then return 1 end
local outcome = ARGV[2]
if tonumber(ARGV[7]) > 0 then
  if tonumber(redis.call('HGET', KEYS[2], 'total') or '0') + tonumber(ARGV[7]) <= tonumber(ARGV[8]) then
    local time = redis.call('TIME')
    local minute = (math.floor(time[1] / 60) + 1) * 60000
    redis.call('HINCRBY', KEYS[2], string.format('%.0f', minute + ARGV[3]), ARGV[7])
    redis.call('HINCRBY', KEYS[2], 'total', ARGV[7])
    if redis.call('PTTL', KEYS[2]) < ARGV[3] + 60000 then redis.call('PEXPIRE', KEYS[2], ARGV[3] + 60000) end
  else
    outcome = ARGV[9]
  end
end
-- Replies and other fields of the running call are deleted: from now on only the outcome is read.
redis.call('DEL', KEYS[1])
if outcome ~= '' then
  redis.call('HSET', KEYS[1], 'fingerprint', call[2], 'outcome', outcome)
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
redis.call(ARGV[4], ARGV[5], ARGV[6])
return 1
