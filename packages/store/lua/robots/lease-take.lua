-- Gives a robot's lease to the session that just received its hello, and returns the state it needs to continue where another instance stopped.
-- KEYS 1 record, 2 lease, 3 log, 4 wait head, 5 playing, 6 saved
-- ARGV 1 session, 2 instance, 3 boot_id, 4 dial, 5 token hash, 6 model, 7 firmware, 8 hello (JSON), 9 prefix of wait keys, 10 '1' when the robot (re)started,
--        11 for how long a moving robot counts as online, ms
-- Output {'revoked'} | {'older_dial'} |
--        {'taken', number now ms, text account, text previous state, text previous instance, text previous session,
--        '1' | '' whether a `connected` event is due, text in_seq, text safe_seq, text near, text usb,
--        text wait number, text wait record, text wait armed, text playing, text saved, text time_zone, text volume_max, text quiet_hours}
--        absent values are ''; saved of the boot before, too
-- Why a script: an older connection of the same boot must never displace a newer one, whichever instance is slower.
-- `connected` is due when the robot started, or when a reader may have seen it away, and stays due until a session appends it.
local function text(value) return value or '' end

local record = redis.call('HMGET', KEYS[1], 'token_hash', 'account', 'time_zone', 'volume_max', 'quiet_hours')
if record[1] ~= ARGV[5] then return {'revoked'} end

local lease = redis.call('HMGET', KEYS[2], 'state', 'instance', 'session', 'since', 'boot_id', 'dial', 'due')
if lease[5] == ARGV[3] and tonumber(ARGV[4]) < tonumber(lease[6]) then return {'older_dial'} end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Redis at its memory limit refuses a script's first write if it may need memory. This one needs none; a robot that reconnects must be taken, and
-- the following writes replace values.
redis.call('HDEL', KEYS[2], '')
redis.call('HSET', KEYS[2], 'state', 'held', 'instance', ARGV[2], 'session', ARGV[1], 'since', now, 'boot_id', ARGV[3], 'dial', ARGV[4])
redis.call('HSET', KEYS[1], 'model', ARGV[6], 'firmware', ARGV[7], 'hello', ARGV[8], 'session', ARGV[1])

local absent = not lease[1] or lease[1] == 'away' or (lease[1] == 'moving' and now - tonumber(lease[4] or '0') > tonumber(ARGV[11]))
local due = text(lease[7])
if absent or ARGV[10] == '1' then
  due = '1'
  redis.call('HSET', KEYS[2], 'due', '1', 'back_at', now)
end

local log = redis.call('HMGET', KEYS[3], 'boot_id', 'in_seq', 'near', 'usb', 'safe_seq')
if log[1] ~= ARGV[3] then
  redis.call('HSET', KEYS[3], 'boot_id', ARGV[3], 'in_seq', 0, 'safe_seq', 0)
  log[2], log[5] = '0', '0'
end

local saved = lease[5] == ARGV[3] and text(redis.call('GET', KEYS[6])) or ''
local number = redis.call('HGET', KEYS[4], 'open')
local wait = {}
if number then wait = redis.call('HMGET', ARGV[9] .. number, 'record', 'armed', 'outcome') end
if not wait[1] or wait[3] then number, wait = false, {} end

return {'taken', now, record[2], text(lease[1]), text(lease[2]), text(lease[3]), due, log[2], log[5] or '0', text(log[3]), text(log[4]),
  text(number), text(wait[1]), text(wait[2]), text(redis.call('GET', KEYS[5])), saved,
  text(record[3]), text(record[4]), text(record[5])}
