-- Adds an action to the queue of a robot.
-- KEYS 1 queue, 2 queue entries, 3 record, 4 wait of a question (optional)
-- ARGV 1 number, 2 score, 3 entry (JSON), 4 how long it may wait in ms, 5 entries at most, 6 record of the wait (JSON), 7 what is kept beside it (JSON),
--        8 TTL of the wait in ms
-- Output {'added', number place from 1} | {'full'} | {'gone'} the robot does not exist
-- Why a script: of calls at the same time, no more enter than the queue takes.
if redis.call('EXISTS', KEYS[3]) == 0 then return {'gone'} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entries = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local open, before = 0, 0
for i = 1, #entries, 2 do
  local untilMs = string.match(redis.call('HGET', KEYS[2], 'until:' .. entries[i]) or '', '^%d+')
  if untilMs and tonumber(untilMs) > now then
    open = open + 1
    if tonumber(entries[i + 1]) < tonumber(ARGV[2]) then before = before + 1 end
  end
end
-- Those that have expired are removed within seconds; they are bounded, too.
if open >= tonumber(ARGV[5]) or #entries / 2 >= 2 * tonumber(ARGV[5]) then return {'full'} end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3], 'until:' .. ARGV[1], string.format('%.0f', now + tonumber(ARGV[4])) .. (KEYS[4] and 'q' or ''))
local ttl = math.max(redis.call('PTTL', KEYS[2]), tonumber(ARGV[4]) + 60000)
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('PEXPIRE', KEYS[2], ttl)
if KEYS[4] then
  redis.call('HSET', KEYS[4], 'record', ARGV[6], 'detached', ARGV[7], 'opened_at', string.format('%.0f', now), 'queued', '1')
  redis.call('PEXPIRE', KEYS[4], ARGV[8])
end
return {'added', before + 1}
