-- Sets the limits of an account.
-- KEYS 1 the account's record
-- ARGV 1 most robots, 2 most keys: a number, 'none', 'default' to unset, or 'kept'
-- Output 1 set, 0 there is no such account, or it is being removed
-- Why a script: an account that is removed meanwhile does not come back as its limits alone.
local record = redis.call('HMGET', KEYS[1], 'email', 'removing')
if not record[1] or record[2] then return 0 end
for i, field in ipairs({'robots_max', 'keys_max'}) do
  if ARGV[i] == 'default' then redis.call('HDEL', KEYS[1], field)
  elseif ARGV[i] ~= 'kept' then redis.call('HSET', KEYS[1], field, ARGV[i]) end
end
return 1
