-- Ends the open wait, and every one that took its number before, opened or not: as if a newer one had opened and ended at once.
-- KEYS 1 wait head, 2 record, 3 lease
-- ARGV 1 prefix of wait keys, 2 outcome of the one that is ended (JSON), 3 publish command, 4 channel
-- Output {} there is no such robot | {number up to which all waits are over, number of the open one that was ended or ''}
-- Why a script: whoever settles first wins, once; a wait that is still being drawn must not open behind a stop that came after it.
if redis.call('EXISTS', KEYS[2]) == 0 then return {} end
local head = redis.call('HMGET', KEYS[1], 'given', 'open')
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local number = string.format('%.0f', math.max(tonumber(head[1] or '0') + 1, now))
-- Redis at its memory limit refuses the first write of a script if it may take room. This one takes none; what follows is short and replaces what is there.
redis.call('HDEL', KEYS[1], '')
local ended = ''
if head[2] then
  local open = ARGV[1] .. head[2]
  if redis.call('EXISTS', open) == 1 and redis.call('HSETNX', open, 'outcome', ARGV[2]) == 1 then
    ended = head[2]
    local lease = redis.call('HMGET', KEYS[3], 'state', 'since', 'back_at')
    redis.call('HSET', open, 'ended', string.format('%.0f %s %s %s ', now, lease[1] or 'away', lease[2] or '0', lease[3] or '0'))
    redis.call(ARGV[3], ARGV[4], ended)
  end
end
redis.call('HSET', KEYS[1], 'given', number, 'opened', number)
redis.call('HDEL', KEYS[1], 'open')
return {number, ended}
