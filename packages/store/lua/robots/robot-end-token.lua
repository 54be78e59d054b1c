-- Revokes the token of a robot whose hardware was paired with another account; the robot stays, without a token.
-- KEYS 1 record, 2 lease
-- ARGV 1 hash of the token that the hardware presented
-- Output {} the robot has another token now, or was removed | {text lease state, text instance, text session} each '' when it never connected
-- Why a script: a robot that was given a new token meanwhile keeps it, and the old token cannot take the robot in between.
if redis.call('HGET', KEYS[1], 'token_hash') ~= ARGV[1] then return {} end
redis.call('HDEL', KEYS[1], 'token_hash')
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
if lease[1] then
  redis.call('HSET', KEYS[2], 'state', 'away', 'session', '')
  -- When it went away.
  local time = redis.call('TIME')
  if lease[1] ~= 'away' then redis.call('HSET', KEYS[2], 'since', time[1] * 1000 + math.floor(time[2] / 1000)) end
end
return {lease[1] or '', lease[2] or '', lease[3] or ''}
