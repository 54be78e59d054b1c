-- Opens a node's numbering record for an instance that is about to append events there.
-- KEYS 1 numbering record of the node, 2 number stored in a transaction, 3 number stored in a single write
-- ARGV 1 run id of the Redis process as the caller knows it, 2 instance
-- Output {'elsewhere'} another process answers |
--        {'open' | 'pending', text id of the numbering, text predecessors, '1' | '' whether another process than the last one runs}
-- Why a script: two instances that start concurrently must agree on whether this process continues the previous numbering.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or 'unknown'
if run ~= ARGV[1] then return {'elsewhere'} end
local record = redis.call('HMGET', KEYS[1], 'run', 'id', 'predecessors', 'sealed', 'pending', 'restored')
-- Redis dropped transactions (mark-together.lua): the record may be an old one, sealed before numbers that readers have seen.
local lost = tonumber(redis.call('GET', KEYS[3]) or '0') > tonumber(redis.call('HGET', KEYS[2], 'number') or '0')
local id, predecessors, pending = record[2] or run, record[3] or '', record[5] or ''
local succeeds = ''
if record[1] == run and record[4] then
  pending = 'reopened'
elseif record[1] ~= run and record[1] and record[4] == record[1] and not lost then
  -- Every instance shut down before the last process did: this process has every number that was used.
  for old in string.gmatch(record[1] .. ' ' .. id, '%S+') do
    if not string.find(predecessors, old, 1, true) then predecessors = old .. ' ' .. predecessors end
  end
  -- 100 run ids.
  predecessors = string.sub(predecessors, 1, 4100)
  id, pending = run, 'succeeds'
elseif record[1] ~= run then
  id, predecessors, pending = run, '', ''
  -- After `perch redis restored` numbers also jump if this process has numbered events already.
  if record[6] then id = run .. '-' .. record[6] end
end
if record[1] ~= run or record[4] then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'run', run, 'id', id, 'predecessors', predecessors, 'pending', pending)
end
redis.call('HSET', KEYS[1], 'open:' .. ARGV[2], '1')
return {pending == '' and 'open' or 'pending', id, predecessors, pending == 'succeeds' and '1' or ''}
