-- Makes or changes a webhook of an account.
-- KEYS 1 webhooks, 2 the account's record
-- ARGV 1 webhook, 2 record (JSON), 3 how many an account may have when it is made; 0 changes one that is there
-- Output 1 saved, 0 too many, or not there any more, 2 the account is being removed
-- Why a script: a webhook that was removed must not come back by a change, and of two that are made at once one may be the last.
if redis.call('HEXISTS', KEYS[2], 'removing') == 1 then return 2 end
local most = tonumber(ARGV[3])
if most == 0 then
  if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
elseif redis.call('HLEN', KEYS[1]) >= most then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
