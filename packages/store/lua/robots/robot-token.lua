-- Gives a robot a new token: the old one is dead from this step on, and the session it opened holds the robot no more.
-- KEYS 1 record, 2 lease
-- ARGV 1 hash of the new token
-- Output {} no such robot | {hash of the old token or '', lease state, instance, session ('' when it never connected)}
-- Why a script: whoever holds the robot under the old token is told in the answer, and nobody can take it with the old one in between.
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local old = redis.call('HGET', KEYS[1], 'token_hash')
redis.call('HSET', KEYS[1], 'token_hash', ARGV[1])
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
if lease[1] then
  redis.call('HSET', KEYS[2], 'state', 'away', 'session', '')
  -- Since when it is away.
  local time = redis.call('TIME')
  if lease[1] ~= 'away' then redis.call('HSET', KEYS[2], 'since', time[1] * 1000 + math.floor(time[2] / 1000)) end
end
return {old or '', lease[1] or '', lease[2] or '', lease[3] or ''}
