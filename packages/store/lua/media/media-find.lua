-- Reads the result of a render, and extends its lifetime as the caller requires.
-- KEYS 1 media, 2 media data, 3 quota, 4 quota bytes
-- ARGV 1 minimum remaining lifetime in ms, 2 lifetime in ms set if it is shorter, 3 entry of the quota
-- Output {} nothing | {text value of media (JSON), 'kept' | 'extended' | 'bytes gone' (always for a failure)}
-- Why a script: a known picture costs one command, and a result that was found does not expire a moment later.
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
