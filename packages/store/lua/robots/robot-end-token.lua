-- Ends the token of a robot whose hardware was paired to another account; the robot stays, without a token.
-- KEYS 1 record, 2 lease
-- ARGV 1 hash of the token the hardware proved to have
-- Output {} the robot has another token by now, or is gone | {lease state, instance, session ('' when it never connected)}
-- Why a script: a robot that was given a new token meanwhile keeps it, and nobody can take the robot with the old one in between.
if redis.call('HGET', KEYS[1], 'token_hash') ~= ARGV[1] then return {} end
redis.call('HDEL', KEYS[1], 'token_hash')
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
if lease[1] then
  redis.call('HSET', KEYS[2], 'state', 'away', 'session', '')
  -- Since when it is away.
  local time = redis.call('TIME')
  if lease[1] ~= 'away' then redis.call('HSET', KEYS[2], 'since', time[1] * 1000 + math.floor(time[2] / 1000)) end
end
return {lease[1] or '', lease[2] or '', lease[3] or ''}
