-- Ends the open wait, and every wait that took its number before, opened or not: as if a newer one had opened and ended at once.
-- KEYS 1 wait head, 2 record, 3 lease, 4 queue, 5 queue entries
-- ARGV 1 prefix of wait keys, 2 outcome of the ended wait (JSON), 3 publish command, 4 channel,
--        5 how long an ended wait that outlives its call is kept from now, ms
-- Output {} the robot does not exist | {text number up to which all waits are over, text number of the open one that was ended or '',
--        1 | 0 whether that one outlives its call, [text] numbers of the questions that end in the queue}
-- Why a script: the first to settle a wait wins, once; a wait whose picture is still being drawn must not open after a later stop. The queue is emptied.
if redis.call('EXISTS', KEYS[2]) == 0 then return {} end
local head = redis.call('HMGET', KEYS[1], 'given', 'open', 'asked')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = string.format('%.0f', math.max(tonumber(head[1] or '0') + 1, now))
-- Redis at its memory limit refuses a script's first write if it may need memory. This one needs none; the following ones are short and replace values.
redis.call('HDEL', KEYS[1], '')
local ended, detached = '', 0
if head[2] then
  local open = ARGV[1] .. head[2]
  if redis.call('EXISTS', open) == 1 and redis.call('HSETNX', open, 'outcome', ARGV[2]) == 1 then
    ended = head[2]
    local lease = redis.call('HMGET', KEYS[3], 'state', 'since', 'back_at')
    redis.call('HSET', open, 'ended', string.format('%.0f %s %s %s ', now, lease[1] or 'away', lease[2] or '0', lease[3] or '0'))
    redis.call(ARGV[3], ARGV[4], ended)
    if redis.call('HEXISTS', open, 'detached') == 1 then
      detached = 1
      redis.call('PEXPIRE', open, ARGV[5])
    end
  end
end
local queued = {}
for _, entry in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  local wait = ARGV[1] .. entry
  if redis.call('EXISTS', wait) == 1 and redis.call('HSETNX', wait, 'outcome', ARGV[2]) == 1 then
    redis.call('HSET', wait, 'ended', string.format('%.0f held %.0f 0 ', now, now))
    redis.call('PEXPIRE', wait, ARGV[5])
    redis.call(ARGV[3], ARGV[4], entry)
    queued[#queued + 1] = entry
  end
end
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('HSET', KEYS[1], 'given', number, 'opened', number, 'stopped', number)
if ended ~= '' and head[3] then redis.call('HSET', KEYS[1], 'ended_at', string.format('%.0f', now)) end
redis.call('HDEL', KEYS[1], 'open')
redis.call(ARGV[3], ARGV[4], number)
return {number, ended, detached, queued}
