-- Appends events to a robot's log, advances its input mark and notifies readers.
-- KEYS 1 lease, 2 log, 3 events, 4 record, 5 wait (optional) that has ended, which its event reports
-- ARGV 1 session, 2 boot_id, 3 in_seq or '' (events without an input), 4 number of events kept, 5 publish command, 6 channel, 7 near or '', 8 usb or '',
--        9 events a second accepted, 10 highest safe input with this one stored, or '',
--        11 '<run id>=<id of its numbering>' of the Redis processes whose records the caller opened, 12 verdict of numbering.ts or '',
--        13 age in ms at which events are dropped, then name and data (JSON) of each event
-- Output {'lost'} another session has the lease | {'old'} this input was stored before, or the wait has been reported | {'busy'} too many events this second, nothing stored |
--        {'ok', text last seq, text now ms, text last event handed to webhooks (or '' if no webhook wants the robot's events), text account,
--        number bytes of the log, 1 | 0 whether the oldest event has exceeded its age} |
--        {'run', text run id, text numbering or process last recorded for the robot or ''} nothing stored: ask numbering.ts and call again with
--        its verdict
-- Why a script: number, entry, mark and notification are one step, so that a reader waiting on `after` neither misses nor repeats an event, and an
-- acknowledged input is in the log exactly once. A call whose reply was lost may be repeated: it returns 'old'.
if KEYS[5] then
  -- Any instance reports a wait, also while the robot is away.
  local wait = redis.call('HMGET', KEYS[5], 'outcome', 'told')
  if not wait[1] or wait[2] then return {'old'} end
  if redis.call('EXISTS', KEYS[4]) == 0 then return {'lost'} end
elseif redis.call('HGET', KEYS[1], 'session') ~= ARGV[1] then
  return {'lost'}
end
local log = redis.call('HMGET', KEYS[2], 'boot_id', 'in_seq', 'seq', 'run_id', 'second', 'second_n', 'hooked', 'bytes')
if ARGV[3] ~= '' and log[1] == ARGV[2] and tonumber(ARGV[3]) <= tonumber(log[2] or '0') then return {'old'} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local count = (#ARGV - 13) / 2
local seq = tonumber(log[3] or '0')
local account, bytes, aged = '', tonumber(log[8] or '0'), 0

if count > 0 then
  local perSecond = tonumber(ARGV[9])
  -- The highest number that can have been used until now: perSecond for each second of the robot's life. No event gets a higher one, so right after
  -- a jump to it an event is 'busy' for 1/perSecond, until the ceiling has risen.
  local record = redis.call('HMGET', KEYS[4], 'created_at', 'run_id', 'account')
  local created = tonumber(record[1] or now)
  local ceiling = math.floor((now - created) / 1000 * perSecond) + 3 * perSecond
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unknown'
  local id = string.match(ARGV[11], run .. '=(%S+)')
  local known = log[4] or record[2] or ''
  if not id then return {'run', run, known} end
  if log[4] ~= id then
    -- A robot created on this process has no earlier numbers. Another's continue only if this process continues its numbering: readers may have seen
    -- numbers above `seq` that were lost.
    if log[4] or (known ~= '' and known ~= run) then
      if ARGV[12] == run .. ' ' .. known .. ' jumps' then
        seq = math.max(seq, ceiling)
        redis.call('HSET', KEYS[2], 'jumped_to', string.format('%.0f', seq + 1))
      elseif ARGV[12] ~= run .. ' ' .. known .. ' continues' then
        return {'run', run, known}
      end
    end
    -- Events that Redis had dropped and executed again (redis/lost-writes.ts) may have higher numbers: 0.10.0 numbered from what was left of the log.
    local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
    if newest then seq = math.max(seq, tonumber(string.match(newest[1], '^%d+'))) end
    redis.call('HSET', KEYS[2], 'run_id', id, 'seq', string.format('%.0f', seq))
  end
  local used = 0
  if log[5] == time[1] then used = tonumber(log[6]) end
  if used + count > perSecond or seq + count > ceiling then return {'busy'} end
  redis.call('HSET', KEYS[2], 'second', time[1], 'second_n', used + count)
  account = record[3] or ''
  -- 64 for each entry, its name and its data. A log written before bytes were counted is counted once.
  local held = redis.call('XLEN', KEYS[3])
  local function sizeOf(entry) return 64 + #entry[2][2] + #entry[2][4] end
  if not log[8] and held > 0 then
    for _, entry in ipairs(redis.call('XRANGE', KEYS[3], '-', '+')) do bytes = bytes + sizeOf(entry) end
  end
  if held == 0 then bytes = 0 end
  local surplus = math.min(held, held + count - tonumber(ARGV[4]))
  if surplus > 0 then
    for _, entry in ipairs(redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', surplus)) do bytes = bytes - sizeOf(entry) end
  end
  for i = 14, #ARGV, 2 do
    seq = seq + 1
    -- Not due: the robot's own instance had no heartbeat for a while.
    if ARGV[i] == 'connected' and redis.call('HDEL', KEYS[1], 'due') == 0 then redis.call('HSET', KEYS[1], 'back_at', string.format('%.0f', now)) end
    bytes = bytes + 64 + #ARGV[i] + #ARGV[i + 1]
    redis.call('XADD', KEYS[3], 'MAXLEN', ARGV[4], string.format('%.0f-0', seq), 'n', ARGV[i], 'd', ARGV[i + 1], 't', string.format('%.0f', now))
  end
  bytes = math.max(0, bytes)
  redis.call('HSET', KEYS[2], 'seq', string.format('%.0f', seq), 'bytes', bytes)
  -- A silent robot leaves nothing behind for longer; and readers derive from the TTL how long events are kept.
  redis.call('PEXPIRE', KEYS[3], ARGV[13])
  local oldest = redis.call('XRANGE', KEYS[3], '-', '+', 'COUNT', 1)[1]
  if oldest and tonumber(oldest[2][6]) < now - tonumber(ARGV[13]) then aged = 1 end
end

if KEYS[5] then redis.call('HSET', KEYS[5], 'told', '1') end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], 'boot_id', ARGV[2], 'in_seq', ARGV[3]) end
if ARGV[10] ~= '' then redis.call('HSET', KEYS[2], 'safe_seq', ARGV[10]) end
if ARGV[7] ~= '' then redis.call('HSET', KEYS[2], 'near', ARGV[7]) end
if ARGV[8] ~= '' then redis.call('HSET', KEYS[2], 'usb', ARGV[8]) end
if count > 0 then redis.call(ARGV[5], ARGV[6], string.format('%.0f', seq)) end
return {'ok', string.format('%.0f', seq), string.format('%.0f', now), log[7] or '', account, bytes, aged}
