-- Charges an entry of an account to a master's media budget, or replaces the entry's size and expiry.
-- KEYS 1 budget, 2 budget bytes, 3 reserved, 4 shared
-- ARGV 1 `<account>:<entry>`, 2 bytes, 3 TTL ms, 4 bytes of the whole budget
-- Output 1 charged | 0 refused: nothing is charged
-- Why a script: concurrent reservations never exceed the budget. Expired entries are removed first.
--
-- Reserved half: the account with the k-th largest part of it holds at most a sixteenth of the budget, divided by k (the "harmonic" buffer policy).
--   As 1 + 1/2 + ... + 1/n is at most 8 for up to 1,673 accounts, their parts fit: an account within a sixteenth divided by n is never refused.
-- Shared half: an account may hold twice what is still free (the dynamic threshold of Choudhury and Hahne): a few accounts use most, none takes all.
local owner = string.match(ARGV[1], '^([^:]+):')
local size, budget = tonumber(ARGV[2]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function charged(entry)
  local pool, bytes = string.match(redis.call('HGET', KEYS[2], entry) or '', '^([rs])(%d+)$')
  return pool, tonumber(bytes or '0')
end

local function change(account, pool, bytes)
  if pool == 'r' then
    redis.call('HINCRBY', KEYS[2], 'reserved', bytes)
    if tonumber(redis.call('ZINCRBY', KEYS[3], bytes, account)) <= 0 then redis.call('ZREM', KEYS[3], account) end
  else
    redis.call('HINCRBY', KEYS[2], 'shared', bytes)
    if redis.call('HINCRBY', KEYS[4], account, bytes) <= 0 then redis.call('HDEL', KEYS[4], account) end
  end
end

for _, entry in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1000)) do
  local pool, bytes = charged(entry)
  redis.call('ZREM', KEYS[1], entry)
  redis.call('HDEL', KEYS[2], entry)
  if pool then change(string.match(entry, '^([^:]+):'), pool, -bytes) end
end

local before, bytesBefore = charged(ARGV[1])
local pool = before
if not before or size > bytesBefore then
  local held = tonumber(redis.call('ZSCORE', KEYS[3], owner) or '0') - (before == 'r' and bytesBefore or 0)
  local reserved = tonumber(redis.call('HGET', KEYS[2], 'reserved') or '0') - (before == 'r' and bytesBefore or 0)
  -- The rank before this entry: an account that it overtakes moves down to at most this rank, and holds no more.
  local above = redis.call('ZREVRANK', KEYS[3], owner) or redis.call('ZCARD', KEYS[3])
  if (held + size) * (above + 1) <= budget / 16 and reserved + size <= budget / 2 then pool = 'r'
  else
    local sharing = tonumber(redis.call('HGET', KEYS[4], owner) or '0') - (before == 's' and bytesBefore or 0)
    local shared = tonumber(redis.call('HGET', KEYS[2], 'shared') or '0') - (before == 's' and bytesBefore or 0)
    if sharing + size > 2 * (budget / 2 - shared - size) then return 0 end
    pool = 's'
  end
end

if before then change(owner, before, -bytesBefore) end
change(owner, pool, size)
redis.call('HSET', KEYS[2], ARGV[1], pool .. ARGV[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[3]), ARGV[1])
for i = 1, 4 do
  if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[i], ARGV[3]) end
end
return 1
