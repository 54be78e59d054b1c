-- Looks for what a render finished with, and keeps it for as long as the caller needs it.
-- KEYS 1 media, 2 media data, 3 ledger, 4 ledger bytes
-- ARGV 1 ms it must live on, 2 ms it is given if it would not, 3 entry of the ledger
-- Output {} nothing | {what media says (JSON), 'kept' | 'extended' | 'bytes gone' (always so for a failure)}
-- Why a script: a picture seen before costs one command, and what was found does not end a moment later.
local media = redis.call('GET', KEYS[1])
if not media then return {} end
local left = redis.call('PTTL', KEYS[2])
if left < 0 then return {media, 'bytes gone'} end
if left >= tonumber(ARGV[1]) then return {media, 'kept'} end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
if redis.call('ZSCORE', KEYS[3], ARGV[3]) then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[3], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2]), ARGV[3])
  for i = 3, 4 do
    if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[i], ARGV[2]) end
  end
end
return {media, 'extended'}
