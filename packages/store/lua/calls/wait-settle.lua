-- Ends a wait that is still open; an answering touch advances the robot's input mark in the same step.
-- KEYS 1 lease, 2 wait, 3 wait head, 4 log
-- ARGV 1 session or '' (a gateway), 2 number, 3 outcome (JSON), 4 publish command, 5 channel, 6 boot_id, 7 in_seq or '', 8 highest safe input with
--        this one stored, or '',
--        9 '1' when the gateway finds the robot away, else '', 10 how long a wait that outlives its call is kept from now, ms
-- Output {'lost'} another session holds the robot | {'old'} this input was stored before | {'late', text outcome} ended before (outcome '' when its key
--        has expired) |
--        {'settled', 1 | 0 whether the wait outlives its call}
-- Why a script: of tap, time-out, replacement and disconnect exactly one wins, and an acknowledged tap is either an answer or an event, once.
if ARGV[1] ~= '' and redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then return {'lost'} end
if ARGV[7] ~= '' then
  local log = redis.call('HMGET', KEYS[4], 'boot_id', 'in_seq')
  if log[1] == ARGV[6] and tonumber(ARGV[7]) <= tonumber(log[2] or '0') then return {'old'} end
end
local wait = redis.call('HMGET', KEYS[2], 'record', 'outcome', 'detached', 'opened_at')
local lease = redis.call('HMGET', KEYS[1], 'state', 'since', 'back_at')
local time = redis.call('TIME')
if not wait[1] or wait[2] then return {'late', wait[2] or ''} end
-- Redis at its memory limit refuses a script's first write if it may need memory. This one needs none; an outcome is short, and an open wait must
-- end.
redis.call('HDEL', KEYS[3], '')
-- waits.ts derives from `ended` whether the robot was away meanwhile.
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
local ended = string.format('%s %s %s %s %s', now, lease[1] or 'away', lease[2] or '0', lease[3] or '0', ARGV[9])
redis.call('HSET', KEYS[2], 'outcome', ARGV[3], 'ended', ended)
local head = redis.call('HMGET', KEYS[3], 'open', 'asked')
if head[1] == ARGV[2] then
  redis.call('HDEL', KEYS[3], 'open')
  if head[2] then redis.call('HSET', KEYS[3], 'ended_at', now) end
end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[4], 'boot_id', ARGV[6], 'in_seq', ARGV[7], 'safe_seq', ARGV[8]) end
-- With what is stored, so that the gateway need not read it. Gateways, those of 0.10.0 and 0.10.1 as well, expect the number alone after it.
redis.call(ARGV[4], ARGV[5], string.format('%s {"outcome":%s,"opened_at":%s,"ended":"%s"}', ARGV[2], ARGV[3], wait[4] or '0', ended))
redis.call(ARGV[4], ARGV[5], ARGV[2])
if wait[3] then redis.call('PEXPIRE', KEYS[2], ARGV[10]) end
return {'settled', wait[3] and 1 or 0}
