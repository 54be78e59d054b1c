-- Makes or changes a webhook of an account.
-- KEYS 1 webhooks
-- ARGV 1 webhook, 2 record (JSON), 3 how many an account may have when it is made; 0 changes one that is there
-- Output 1, or 0: too many, or not there any more
-- Why a script: a webhook that was removed must not come back by a change, and of two that are made at once one may be the last.
local most = tonumber(ARGV[3])
if most == 0 then
  if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
elseif redis.call('HLEN', KEYS[1]) >= most then
  return 0
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
