-- Advances the mark up to which a robot's events were handed to webhooks.
-- KEYS 1 log
-- ARGV 1 event number
-- Output nothing
-- Why a script: of two that hand on at once the slower must not set it back, and a mark that was taken away must not come back.
local mark = redis.call('HGET', KEYS[1], 'hooked')
if mark and tonumber(mark) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'hooked', ARGV[1]) end
