-- Stores the result of a render and notifies waiting callers.
-- KEYS 1 media, 2 media data
-- ARGV 1 reference or failure (JSON), 2 TTL ms, 3 done|failed, 4 publish command, 5 channel
-- Output 1 stored | 0 not stored: a failure although there is a picture, or a picture without its bytes
-- Why a script: notified callers find the result, and a late failure removes no picture.
if (redis.call('EXISTS', KEYS[2]) == 1) ~= (ARGV[3] == 'done') then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
-- With the reference, so that a caller need not read it.
redis.call(ARGV[4], ARGV[5], ARGV[3] == 'done' and ARGV[2] .. ' ' .. ARGV[1] or ARGV[3])
return 1
