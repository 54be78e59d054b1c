-- Creates or changes a webhook of an account.
-- KEYS 1 webhooks, 2 the account's record
-- ARGV 1 webhook, 2 record (JSON), 3 maximum number of webhooks of an account when creating; 0 changes an existing one, 4 its record (JSON) as read before the
--        change
-- Output 1 saved | 0 too many, it does not exist, or its record is another one by now | 2 the account is being removed
-- Why a script: a change must not recreate a removed webhook nor undo a concurrent change, and of two concurrent creations only one may fit.
if redis.call('HEXISTS', KEYS[2], 'removing') == 1 then return 2 end
local most = tonumber(ARGV[3])
if most == 0 then
  if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[4] then return 0 end
elseif redis.call('HLEN', KEYS[1]) >= most then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
