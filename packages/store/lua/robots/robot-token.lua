-- Gives a robot a new token: from this step on the old one is invalid, and its session no longer holds the robot.
-- KEYS 1 record, 2 lease
-- ARGV 1 hash of the new token
-- Output {} no such robot | {text hash of the old token or '', text lease state, text instance, text session} the last three '' when it never connected
-- Why a script: the reply names the session that holds the robot with the old token, and that token cannot take the robot in between.
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local old = redis.call('HGET', KEYS[1], 'token_hash')
redis.call('HSET', KEYS[1], 'token_hash', ARGV[1])
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
if lease[1] then
  redis.call('HSET', KEYS[2], 'state', 'away', 'session', '')
  -- When it went away.
  local time = redis.call('TIME')
  if lease[1] ~= 'away' then redis.call('HSET', KEYS[2], 'since', time[1] * 1000 + math.floor(time[2] / 1000)) end
end
return {old or '', lease[1] or '', lease[2] or '', lease[3] or ''}
