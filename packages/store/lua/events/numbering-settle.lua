-- Completes the opening of a node's numbering record.
-- KEYS 1 numbering record of the node
-- ARGV 1 run id, 2 '1' when the opening is on disk, '' when that cannot be known
-- Output {text id of the numbering, text predecessors} as they apply now | {} the record is of another process
-- Why a script: of two instances that wait for the disk the first decides for both.
local record = redis.call('HMGET', KEYS[1], 'run', 'id', 'predecessors', 'pending')
if record[1] ~= ARGV[1] then return {} end
-- If the opening is not known to be on disk, a crash could bring the sealed record back. Without predecessors the numbers of all robots jump instead.
if record[4] == 'succeeds' and ARGV[2] ~= '1' then
  redis.call('HSET', KEYS[1], 'predecessors', '')
  record[3] = ''
end
redis.call('HSET', KEYS[1], 'pending', '')
return {record[2], record[3]}
