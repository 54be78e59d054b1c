-- Opens a wait and ends the one that was open.
-- KEYS 1 wait head, 2 lease, 3 record, 4 call under an Idempotency-Key that opens it (optional)
-- ARGV 1 number, 2 record (JSON), 3 TTL ms, 4 prefix of wait keys, 5 outcome of the replaced wait (JSON), 6 publish command, 7 channel, 8 claim of the call,
--        9 how long a replaced wait that outlives its call is kept from now, ms, 10 channel of the robot-link, or '', 11 message for it, which is published if
--        the wait opens, 12 who asks, or '', 13 how long its picture is on the screen before a touch counts if the question before was still open,
--        or was another's and ended within 14 ms, 15 what is kept beside the record from the beginning (JSON), or ''
-- Output {'opened', text number of the replaced wait or '', 1 | 0 whether that one outlives its call, number receivers of the message} |
--        {'replaced'} a higher number was opened before, or the robot was removed | {'lost'} another gateway has the call's claim
-- Why a script: the first to settle a wait wins, once; of two opened concurrently the higher number stays. A gateway that adopts the call finds this
-- wait in it and opens no second one. The message leaves only once the wait is stored. Who asked before, and when that ended, is kept with the
-- robot's waits, so that it does not matter which instance shows the next question.
if KEYS[4] and redis.call('HGET', KEYS[4], 'claim') ~= ARGV[8] then return {'lost'} end
if redis.call('EXISTS', KEYS[3]) == 0 then return {'replaced'} end
local head = redis.call('HMGET', KEYS[1], 'opened', 'open', 'asked', 'ended_at')
if tonumber(ARGV[1]) <= tonumber(head[1] or '0') then return {'replaced'} end
local replaced, detached = '', 0
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
if head[2] then
  local before = ARGV[4] .. head[2]
  if redis.call('EXISTS', before) == 1 and redis.call('HSETNX', before, 'outcome', ARGV[5]) == 1 then
    replaced = head[2]
    local lease = redis.call('HMGET', KEYS[2], 'state', 'since', 'back_at')
    redis.call('HSET', before, 'ended', string.format('%s %s %s %s ', now, lease[1] or 'away', lease[2] or '0', lease[3] or '0'))
    redis.call(ARGV[6], ARGV[7], replaced)
    if redis.call('HEXISTS', before, 'detached') == 1 then
      detached = 1
      redis.call('PEXPIRE', before, ARGV[9])
    end
  end
end
-- A stop has the highest number without having asked: the question before it counts as another's.
local same = (head[3] or '') == (ARGV[12] == '' and '' or (head[1] or '') .. ' ' .. ARGV[12])
redis.call('HSET', ARGV[4] .. ARGV[1], 'record', ARGV[2], 'opened_at', now)
if ARGV[15] ~= '' then redis.call('HSET', ARGV[4] .. ARGV[1], 'detached', ARGV[15]) end
if replaced ~= '' or (not same and tonumber(now) - tonumber(head[4] or '0') < tonumber(ARGV[14])) then
  redis.call('HSET', ARGV[4] .. ARGV[1], 'counts_after', ARGV[13])
end
redis.call('PEXPIRE', ARGV[4] .. ARGV[1], ARGV[3])
redis.call('HSET', KEYS[1], 'opened', ARGV[1], 'open', ARGV[1])
if ARGV[12] ~= '' then redis.call('HSET', KEYS[1], 'asked', ARGV[1] .. ' ' .. ARGV[12]) end
if KEYS[4] then redis.call('HSET', KEYS[4], 'wait', ARGV[1]) end
local receivers = 0
if ARGV[10] ~= '' then receivers = redis.call(ARGV[6], ARGV[10], ARGV[11]) end
return {'opened', replaced, detached, receivers}
