-- Arms a wait: its picture is on the screen (or it needs none), its time-out starts.
-- KEYS 1 lease, 2 wait
-- ARGV 1 session, 2 boot_id, 3 robot's clock in ms or '', 4 highest input seen, 5 time-out in ms, 6 publish command, 7 channel, 8 number, 9 how long
--        it is kept after its deadline in ms
-- Output {'lost'} another session holds the robot | {'gone'} settled or unknown | {'armed', text armed (JSON)}
-- Why a script: it must not arm a wait that was settled meanwhile. Armed again after the robot moved or restarted, it keeps its deadline.
if redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then return {'lost'} end
local wait = redis.call('HMGET', KEYS[2], 'record', 'armed', 'outcome', 'counts_after')
if not wait[1] or wait[3] then return {'gone'} end
-- Redis at its memory limit refuses a script's first write if it may need memory. This one needs none; a wait that has opened must be armed.
redis.call('HDEL', KEYS[2], '')
local deadline
if wait[2] then
  deadline = cjson.decode(wait[2]).deadline
else
  local time = redis.call('TIME')
  deadline = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[5])
  redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[5]) + tonumber(ARGV[9]))
end
local ms = ARGV[3] == '' and 'null' or ARGV[3]
local counts = wait[4] and string.format(',"countsAfterMs":%s', wait[4]) or ''
local armed = string.format('{"bootId":%s,"ms":%s,"seq":%s,"deadline":%.0f%s}', cjson.encode(ARGV[2]), ms, ARGV[4], deadline, counts)
redis.call('HSET', KEYS[2], 'armed', armed)
-- With what is stored, so that the gateway need not read it. Gateways, those of 0.10.0 and 0.10.1 as well, expect the number alone after it.
redis.call(ARGV[6], ARGV[7], string.format('%s {"armed":%s}', ARGV[8], armed))
redis.call(ARGV[6], ARGV[7], ARGV[8])
return {'armed', armed}
