-- Creates or changes a webhook of an account.
-- KEYS 1 webhooks, 2 the account's record
-- ARGV 1 time after which nothing is done (ms), 2 webhook, 3 record (JSON), 4 maximum number of webhooks of an account when creating; 0 changes an
--        existing one, 5 its record (JSON) as read before the change
-- Output 1 saved | 0 too many, it does not exist, or its record is another one by now | 2 the account is being removed | 'late'
-- Why a script: a change must not recreate a removed webhook nor undo a concurrent change, and of two concurrent creations only one may fit. A
-- late one does nothing (in-time.ts).
local time = redis.call('TIME')
if time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[1]) then return 'late' end
if redis.call('HEXISTS', KEYS[2], 'removing') == 1 then return 2 end
local most = tonumber(ARGV[4])
if most == 0 then
  if redis.call('HGET', KEYS[1], ARGV[2]) ~= ARGV[5] then return 0 end
elseif redis.call('HLEN', KEYS[1]) >= most then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
