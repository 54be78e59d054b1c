-- Seals a node's numbering record when the last instance that appends events there shuts down.
-- KEYS 1 numbering record of the node
-- ARGV 1 run id of the process on which this instance opened the record, 2 instance, then the instances that are known to be dead
-- Output 1 sealed | 0 not sealed: other instances have it open, or another process runs
-- Why a script: an instance that opens the record concurrently must find it sealed, or keep it open.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unknown'
if run ~= ARGV[1] or redis.call('HGET', KEYS[1], 'run') ~= run then return 0 end
for i = 2, #ARGV do redis.call('HDEL', KEYS[1], 'open:' .. ARGV[i]) end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.sub(field, 1, 5) == 'open:' then return 0 end
end
redis.call('HSET', KEYS[1], 'sealed', run)
return 1
