-- Removes a robot with all its data; an open wait ends as failed, and readers of events are notified.
-- KEYS 1 record, 2 lease, 3 wait head, 4 guests, 5 detached waits, 6 queue, 7 and on: its other keys
-- ARGV 1 account, 2 prefix of wait keys, 3 outcome of an open wait (JSON), 4 publish command, 5 channel of waits,
--        6 channel of events
-- Output {} not a robot of this account |
--        {text token hash or '', text serial or '', text lease state, text instance, text session, [text account]} the three of the lease '' when it
--        never connected; the accounts with which it was shared
-- Why a script: from this step on no token takes the robot and no session writes for it.
local record = redis.call('HMGET', KEYS[1], 'account', 'token_hash', 'serial')
if record[1] ~= ARGV[1] then return {} end
local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session')
-- Redis at its memory limit refuses a script's first write if it may need memory. This one needs none; an open wait gets its outcome, then all is
-- deleted.
redis.call('HDEL', KEYS[3], '')
local open = redis.call('HGET', KEYS[3], 'open')
if open and redis.call('EXISTS', ARGV[2] .. open) == 1 and redis.call('HSETNX', ARGV[2] .. open, 'outcome', ARGV[3]) == 1 then
  redis.call(ARGV[4], ARGV[5], open)
end
for _, number in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do redis.call('DEL', ARGV[2] .. number) end
for _, number in ipairs(redis.call('ZRANGE', KEYS[6], 0, -1)) do
  redis.call('DEL', ARGV[2] .. number)
  redis.call(ARGV[4], ARGV[5], number)
end
local guests = redis.call('HKEYS', KEYS[4])
redis.call('DEL', unpack(KEYS))
redis.call(ARGV[4], ARGV[6], '0')
return {record[2] or '', record[3] or '', lease[1] or '', lease[2] or '', lease[3] or '', guests}
