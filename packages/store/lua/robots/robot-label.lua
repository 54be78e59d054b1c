-- Changes the labels of a robot.
-- KEYS 1 the account's robots, 2 its labels, 3 its stored bytes
-- ARGV 1 robot, 2 maximum number of labels, 3 '1' to remove its present labels first, 4 and on: `key=value` to set, `key` to remove
-- Output text its labels now, `key=value;key=value` ascending by key, '' for none | 0 not a robot of this account | -1 it would have too many labels
-- Why a script: two concurrent changes are both kept, and the account's bytes are counted with the change.
if redis.call('SISMEMBER', KEYS[1], ARGV[1]) == 0 then return 0 end
local before = redis.call('HGET', KEYS[2], ARGV[1])
local values = {}
if before and ARGV[3] ~= '1' then
  for key, value in string.gmatch(before, '([^=;]+)=([^;]*)') do values[key] = value end
end
for i = 4, #ARGV do
  local key, value = string.match(ARGV[i], '^([^=]+)=(.*)$')
  if key then values[key] = value else values[ARGV[i]] = nil end
end
local keys = {}
for key in pairs(values) do keys[#keys + 1] = key end
if #keys > tonumber(ARGV[2]) then return -1 end
table.sort(keys)
local labels = {}
for i, key in ipairs(keys) do labels[i] = key .. '=' .. values[key] end
local after = table.concat(labels, ';')

if after == (before or '') then return after end
local stored = tonumber(string.match(redis.call('HGET', KEYS[3], 'labels') or '0', '^%d+'))
if before then stored = stored - #ARGV[1] - #before end
if after == '' then redis.call('HDEL', KEYS[2], ARGV[1])
else
  redis.call('HSET', KEYS[2], ARGV[1], after)
  stored = stored + #ARGV[1] + #after
end
if stored > 0 then redis.call('HSET', KEYS[3], 'labels', string.format('%.0f 0', stored))
else redis.call('HDEL', KEYS[3], 'labels') end
return after
