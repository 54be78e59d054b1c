-- Removes an entry from a master's media budget.
-- KEYS 1 budget, 2 budget bytes, 3 reserved, 4 shared
-- ARGV 1 `<account>:<entry>`
-- Output 1 removed | 0 it did not exist
-- Why a script: two concurrent releases of an entry subtract its bytes once.
local pool, bytes = string.match(redis.call('HGET', KEYS[2], ARGV[1]) or '', '^([rs])(%d+)$')
redis.call('ZREM', KEYS[1], ARGV[1])
if not pool then return 0 end
local account = string.match(ARGV[1], '^([^:]+):')
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[2], pool == 'r' and 'reserved' or 'shared', -bytes)
if pool == 'r' then
  if tonumber(redis.call('ZINCRBY', KEYS[3], -bytes, account)) <= 0 then redis.call('ZREM', KEYS[3], account) end
elseif redis.call('HINCRBY', KEYS[4], account, -bytes) <= 0 then redis.call('HDEL', KEYS[4], account) end
return 1
