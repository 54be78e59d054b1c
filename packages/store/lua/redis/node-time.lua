-- Returns the time of the node of a key.
-- KEYS 1 any key
-- Output number ms since 1970
-- Why a script: a Cluster client sends TIME to any node, and their clocks may differ.
local time = redis.call('TIME')
return time[1] * 1000 + math.floor(time[2] / 1000)
