-- Begins the removal of an account: from this step on sign-ins fail and nothing is added to it.
-- KEYS 1 the account's record
-- Output 1 begun, now or before | 0 the record does not exist
-- Why a script: the mark must not recreate a deleted record.
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local time = redis.call('TIME')
redis.call('HDEL', KEYS[1], 'password')
redis.call('HSETNX', KEYS[1], 'removing', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
return 1
