-- Lets a wait outlive its call: its outcome is kept for longer, with what a tap answers.
-- KEYS 1 wait, 2 detached waits, 3 wait head
-- ARGV 1 number, 2 what is kept beside the record (JSON), 3 TTL in ms while it is open, 4 from its end, 5 number of such waits kept, 6 prefix of wait keys,
--        7 what this call kept beside the record until now (JSON), or ''
-- Output {'gone'} | {'open', text what is kept beside the record (JSON)} | {'ended', text as before}
-- Why a script: a wait that ends at the same time either finds itself detached, or is reported as ended. The last ones of a robot are kept.
-- A wait that another gateway detached before keeps its owner and its id.
local wait = redis.call('HMGET', KEYS[1], 'record', 'outcome')
if not wait[1] then return {'gone'} end
local kept = redis.call('HGET', KEYS[1], 'detached')
if not kept or kept == ARGV[7] then redis.call('HSET', KEYS[1], 'detached', ARGV[2]) end
redis.call('PEXPIRE', KEYS[1], wait[2] and ARGV[4] or ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[1], ARGV[1])
local open = redis.call('HGET', KEYS[3], 'open')
for _, number in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1 - tonumber(ARGV[5]))) do
  if number ~= open then
    redis.call('DEL', ARGV[6] .. number)
    redis.call('ZREM', KEYS[2], number)
  end
end
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return {wait[2] and 'ended' or 'open', redis.call('HGET', KEYS[1], 'detached')}
