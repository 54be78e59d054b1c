-- Raises the data version; a higher one stays.
-- KEYS 1 data version
-- ARGV 1 version, 2 release that introduced it
-- Output 1 raised | 0 it is at least as high already
-- Why a script: of two releases that start concurrently, the lower version must not replace the higher one.
local stored = tonumber(string.match(redis.call('GET', KEYS[1]) or '', '^%d+') or '1')
if stored >= tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
return 1
