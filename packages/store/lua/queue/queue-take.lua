-- Removes what has expired from the queue of a robot, and takes the next entry if its turn has come.
-- KEYS 1 queue, 2 queue entries, 3 wait head, 4 lease, 5 waits being drawn
-- ARGV 1 prefix of wait keys, 2 lowest priority that may be taken (10: none), 3 how long the taker has before another one takes it, ms,
--        4 outcome of an expired question (JSON), 5 publish command, 6 channel of waits, 7 how long an ended question is kept, ms,
--        8 how long a question outside the queue that is being drawn goes first, ms
-- Output {'empty', [text] numbers of questions that expired} | {'later', number ms until something may change, [text] as before} |
--        {'taken', text number, text number of its wait, text entry (JSON), 1 | 0 whether another one had taken it, [text] as before}
-- Why a script: of several gateways one takes an entry, and only while no question is open and no card of the queue has time left.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ended = {}
local function remove(number)
  redis.call('ZREM', KEYS[1], number)
  redis.call('HDEL', KEYS[2], number, 'until:' .. number)
end
local claim = redis.call('HMGET', KEYS[2], 'taken', 'taken_as', 'taken_until', 'sending', 'free_at')
for _, number in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if number ~= claim[1] then
    local untilMs, question = string.match(redis.call('HGET', KEYS[2], 'until:' .. number) or '', '^(%d+)(q?)$')
    local wait = ARGV[1] .. number
    local state = question == 'q' and redis.call('HMGET', wait, 'record', 'outcome') or {}
    if not untilMs or (question == 'q' and (not state[1] or state[2])) then
      remove(number)
    elseif tonumber(untilMs) <= now then
      remove(number)
      if question == 'q' then
        local lease = redis.call('HMGET', KEYS[4], 'state', 'since', 'back_at')
        redis.call('HSET', wait, 'outcome', ARGV[4], 'ended', string.format('%.0f %s %s %s ', now, lease[1] or 'away', lease[2] or '0', lease[3] or '0'))
        redis.call('PEXPIRE', wait, ARGV[7])
        redis.call(ARGV[5], ARGV[6], number)
        ended[#ended + 1] = number
      end
    end
  end
end
local free = tonumber(claim[5] or '0')
if claim[1] and redis.call('ZSCORE', KEYS[1], claim[1]) then
  local leftMs = tonumber(claim[3]) - now
  if leftMs > 0 then return {'later', leftMs, ended} end
  if claim[4] then
    -- Its gateway died while the card may have been sent: it is not sent twice.
    remove(claim[1])
  else
    redis.call('HSET', KEYS[2], 'taken_until', string.format('%.0f', now + tonumber(ARGV[3])))
    return {'taken', claim[1], claim[2], redis.call('HGET', KEYS[2], claim[1]), 1, ended}
  end
end
if claim[1] then redis.call('HDEL', KEYS[2], 'taken', 'taken_as', 'taken_until', 'sending') end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return {'empty', ended} end
local open = redis.call('HGET', KEYS[3], 'open')
if open and redis.call('EXISTS', ARGV[1] .. open) == 1 and redis.call('HEXISTS', ARGV[1] .. open, 'outcome') == 0 then
  return {'later', 1000, ended}
end
-- Given a higher number now, the entry would replace a question that was asked before it.
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', string.format('%.0f', now - tonumber(ARGV[8])))
local opened = tonumber(redis.call('HGET', KEYS[3], 'opened') or '0')
for _, number in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do
  if tonumber(number) > opened then return {'later', 1000, ended} end
end
if free > now then return {'later', math.min(free - now, 1000), ended} end
if 9 - math.floor(tonumber(first[2]) / 1e14) < tonumber(ARGV[2]) then return {'later', 5000, ended} end
local given = string.format('%.0f', math.max(tonumber(redis.call('HGET', KEYS[3], 'given') or '0') + 1, now))
redis.call('HSET', KEYS[3], 'given', given)
redis.call('HSET', KEYS[2], 'taken', first[1], 'taken_as', given, 'taken_until', string.format('%.0f', now + tonumber(ARGV[3])))
if redis.call('EXISTS', ARGV[1] .. first[1]) == 1 then redis.call('HSET', ARGV[1] .. first[1], 'became', given) end
return {'taken', first[1], given, redis.call('HGET', KEYS[2], first[1]), 0, ended}
