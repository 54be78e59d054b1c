-- Gives a robot a new token: from this step on the old one is invalid, and its session no longer holds the robot.
-- KEYS 1 record, 2 lease
-- ARGV 1 time after which nothing is done (ms), 2 hash of the new token
-- Output {} no such robot | 'late' | 
--        {text hash of the old token or '', text lease state, text instance, text session} the last three '' when it never connected
-- Why a script: the reply names the session that holds the robot with the old token, and that token cannot take the robot in between. A late one does
-- nothing (in-time.ts).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then return 'late' end
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local old = redis.call('HGET', KEYS[1], 'token_hash')
redis.call('HSET', KEYS[1], 'token_hash', ARGV[2])
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
if lease[1] then
  redis.call('HSET', KEYS[2], 'state', 'away', 'session', '')
  -- When it went away.
  if lease[1] ~= 'away' then redis.call('HSET', KEYS[2], 'since', now) end
end
return {old or '', lease[1] or '', lease[2] or '', lease[3] or ''}
