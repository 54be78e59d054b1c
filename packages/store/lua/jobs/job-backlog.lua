-- Counts the waiting jobs of a BullMQ queue, and finds since when the oldest waits.
-- KEYS 1 wait (list, the next job last), 2 prioritized or delayed (zset)
-- ARGV 1 prefix of the keys of jobs, 2 number of jobs to visit at each end, 3 '1' if KEYS 2 is delayed
-- Output {number count, text time since which the oldest job waits (ms; '' if none does)}
-- A delayed job waits for a worker only from its due time on.
-- Why a script: one command, one result. It writes nothing and is short: of more than twice ARGV 2 jobs it skips those in the middle.
local most = tonumber(ARGV[2])
local oldest
local function look(ids)
  for _, id in ipairs(ids) do
    local timestamp = redis.call('HGET', ARGV[1] .. id, 'timestamp')
    local made = timestamp and tonumber(timestamp)
    if made and (not oldest or made < oldest) then oldest = made end
  end
end
look(redis.call('LRANGE', KEYS[1], -most, -1))
local scheduled = redis.call('ZCARD', KEYS[2])
if ARGV[3] == '1' then
  local time = redis.call('TIME')
  -- The score of a delayed job is its due time (ms), times 4096, plus a counter.
  local now = (time[1] * 1000 + math.floor(time[2] / 1000)) * 4096
  local due = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now), 'WITHSCORES', 'LIMIT', 0, 1)
  local since = due[2] and math.floor(tonumber(due[2]) / 4096 + 0.5)
  if since and (not oldest or since < oldest) then oldest = since end
else
  look(redis.call('ZRANGE', KEYS[2], 0, most - 1))
  if scheduled > most then look(redis.call('ZRANGE', KEYS[2], math.max(most, scheduled - most), -1)) end
end
return { redis.call('LLEN', KEYS[1]) + scheduled, oldest and string.format('%.0f', oldest) or '' }
