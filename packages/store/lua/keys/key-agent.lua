-- Stores when an agent first connected with a key.
-- KEYS 1 record of the key
-- Output 1 stored | 0 it was stored before, or the key no longer exists
-- Why a script: the write must not recreate the record of a key that was revoked meanwhile.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local time = redis.call('TIME')
return redis.call('HSETNX', KEYS[1], 'agent_at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
