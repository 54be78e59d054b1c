-- Appends to a growing sound, or ends it.
-- KEYS 1 sound growing, 2 sound take, 3 media data
-- ARGV 1 bytes before, 2 bytes to append, 3 growing|ended|failed, 4 TTL ms, 5 reference of the growing sound (JSON), 6 publish command, 7 channel ('': not published)
-- Output 1 appended | 0 the sound does not have that many bytes before: it expired, or nothing of it is stored yet and bytes before is not 0
-- Why a script: a reader that finds `ended` finds all bytes, and a writer that was paused never writes behind a gap.
if redis.call('STRLEN', KEYS[3]) ~= tonumber(ARGV[1]) then return 0 end
if ARGV[2] ~= '' then redis.call('APPEND', KEYS[3], ARGV[2]) end
redis.call('PEXPIRE', KEYS[3], ARGV[4])
redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
if ARGV[3] == 'growing' then
  redis.call('SET', KEYS[1], ARGV[5], 'PX', ARGV[4])
elseif redis.call('GET', KEYS[1]) == ARGV[5] then
  redis.call('DEL', KEYS[1])
end
if ARGV[7] ~= '' then redis.call(ARGV[6], ARGV[7], 'growing') end
return 1
