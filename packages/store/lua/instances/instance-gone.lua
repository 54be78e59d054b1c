-- Marks an instance as dead before a reader counts it so, unless it wrote a heartbeat meanwhile.
-- KEYS 1 heartbeat
-- ARGV 1 the heartbeat that the reader found, '' if there was none, 2 TTL (ms)
-- Output text heartbeat: the mark, `-` and Redis' time in ms, or what was written meanwhile
-- Why a script: the reader counts the instance as dead only if its next heartbeat comes later, and then finds the mark (instance-beat.lua); a
-- robot-link appends a `connected` event for each of its robots. 0.10.0 and 0.10.1 read the mark as a very old heartbeat.
local beat = redis.call('GET', KEYS[1])
if beat and beat ~= ARGV[1] then return beat end
local time = redis.call('TIME')
local mark = string.format('-%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
-- Redis at its memory limit refuses SET: see instance-beat.lua.
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[1], mark, 'PX', ARGV[2])
return mark
