-- Advances the mark of a robot's last event handed to webhooks.
-- KEYS 1 log
-- ARGV 1 event number
-- Output nothing
-- Why a script: of two concurrent jobs the slower must not set it back, and a deleted mark must not be recreated.
local mark = redis.call('HGET', KEYS[1], 'hooked')
if mark and tonumber(mark) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'hooked', ARGV[1]) end
