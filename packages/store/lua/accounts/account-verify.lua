-- Marks the e-mail address of an account as verified; the time of the first mark stays.
-- KEYS 1 the account's record
-- Output 1 marked, now or before | 0 the account does not exist, or its removal has begun
-- Why a script: the mark must not recreate a deleted record.
if redis.call('HEXISTS', KEYS[1], 'email') == 0 or redis.call('HEXISTS', KEYS[1], 'removing') == 1 then return 0 end
local time = redis.call('TIME')
redis.call('HSETNX', KEYS[1], 'verified_at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
return 1
