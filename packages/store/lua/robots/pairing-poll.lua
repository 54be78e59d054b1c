-- Returns to a robot whether its pairing was approved.
-- KEYS 1 pairing
-- ARGV 1 minimum ms between two polls
-- Output {'gone'} | {'slow'} | {'pending'} | {'approved', text robot, text user code, text former robot or '', text hash of its token or ''}
-- Why a script: the approval is returned once; of two concurrent polls one gets it.
local pairing = redis.call('HMGET', KEYS[1], 'serial', 'robot', 'polled_at', 'user_code', 'former', 'former_hash')
if not pairing[1] then return {'gone'} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local since = now - tonumber(pairing[3] or '0')
redis.call('HSET', KEYS[1], 'polled_at', string.format('%.0f', now))
-- A clock that stepped back does not count as a fast poll.
if since >= 0 and since < tonumber(ARGV[1]) then return {'slow'} end
if not pairing[2] then return {'pending'} end
redis.call('DEL', KEYS[1])
return {'approved', pairing[2], pairing[4], pairing[5] or '', pairing[6] or ''}
