-- Sets the limits of an account.
-- KEYS 1 the account's record
-- ARGV 1 maximum number of robots, 2 maximum number of keys: a number, 'none', 'default' to unset, or 'kept'
-- Output 1 set | 0 the account does not exist or is being removed
-- Why a script: setting limits must not recreate the record of an account that is removed meanwhile.
local record = redis.call('HMGET', KEYS[1], 'email', 'removing')
if not record[1] or record[2] then return 0 end
for i, field in ipairs({'robots_max', 'keys_max'}) do
  if ARGV[i] == 'default' then redis.call('HDEL', KEYS[1], field)
  elseif ARGV[i] ~= 'kept' then redis.call('HSET', KEYS[1], field, ARGV[i]) end
end
return 1
