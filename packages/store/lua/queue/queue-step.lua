-- Notes what became of an entry that was taken from the queue of a robot.
-- KEYS 1 queue, 2 queue entries, 3 lease, 4 wait of the entry
-- ARGV 1 number, 2 number of its wait, 3 'send' (a command may be sent from now on), 'back' (it stays in the queue), 'shown', 'asked' or 'over',
--        4 how long a card shows before the next entry, TTL of an open question, or of one that is over, in ms; 5 outcome of a question (JSON) for 'over',
--        6 publish command, 7 channel of waits
-- Output 1 | 0 another gateway has taken the entry, the queue was stopped, or the question had ended
-- Why a script: only the gateway that has taken an entry may change what becomes of it.
local claim = redis.call('HMGET', KEYS[2], 'taken', 'taken_as')
if claim[1] ~= ARGV[1] or claim[2] ~= ARGV[2] then return 0 end
if ARGV[3] == 'send' then
  redis.call('HSET', KEYS[2], 'sending', '1')
  return 1
end
redis.call('HDEL', KEYS[2], 'taken', 'taken_as', 'taken_until', 'sending')
if ARGV[3] == 'back' then return 1 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1], 'until:' .. ARGV[1])
if ARGV[3] == 'shown' then
  local time = redis.call('TIME')
  redis.call('HSET', KEYS[2], 'free_at', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[4])))
  redis.call('PEXPIRE', KEYS[2], math.max(redis.call('PTTL', KEYS[2]), tonumber(ARGV[4]) + 60000))
  return 1
end
local state = redis.call('HMGET', KEYS[4], 'record', 'outcome')
if not state[1] or state[2] then return 0 end
if ARGV[3] == 'asked' then
  redis.call('HSET', KEYS[4], 'opened', '1')
else
  local time = redis.call('TIME')
  local lease = redis.call('HMGET', KEYS[3], 'state', 'since', 'back_at')
  local ended = string.format('%.0f %s %s %s ', time[1] * 1000 + math.floor(time[2] / 1000), lease[1] or 'away', lease[2] or '0', lease[3] or '0')
  redis.call('HSET', KEYS[4], 'outcome', ARGV[5], 'ended', ended)
  redis.call(ARGV[6], ARGV[7], ARGV[1])
end
redis.call('PEXPIRE', KEYS[4], ARGV[4])
return 1
