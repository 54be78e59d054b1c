-- Removes an entry from the queue of a robot, also one that a gateway is showing; its question ends.
-- KEYS 1 queue, 2 queue entries, 3 lease, 4 wait of the entry
-- ARGV 1 number, 2 outcome of its question (JSON), 3 publish command, 4 channel of waits, 5 how long an ended question is kept, ms
-- Output 1 removed | 0 it is not in the queue
-- Why a script: a gateway that takes the entry at the same time has it whole, and then finds it gone before it sends a command.
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1], 'until:' .. ARGV[1])
if redis.call('HGET', KEYS[2], 'taken') == ARGV[1] then redis.call('HDEL', KEYS[2], 'taken', 'taken_as', 'taken_until', 'sending') end
local state = redis.call('HMGET', KEYS[4], 'record', 'outcome')
if state[1] and not state[2] then
  local time = redis.call('TIME')
  local lease = redis.call('HMGET', KEYS[3], 'state', 'since', 'back_at')
  local ended = string.format('%.0f %s %s %s ', time[1] * 1000 + math.floor(time[2] / 1000), lease[1] or 'away', lease[2] or '0', lease[3] or '0')
  redis.call('HSET', KEYS[4], 'outcome', ARGV[2], 'ended', ended)
  redis.call(ARGV[3], ARGV[4], ARGV[1])
  redis.call('PEXPIRE', KEYS[4], ARGV[5])
end
return 1
