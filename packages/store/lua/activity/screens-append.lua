-- Appends cards and questions that robots of an account showed, and drops the oldest of each robot beyond its limits.
-- KEYS 1 account record, 2 the account's robots, 3 and on: screens of a robot
-- ARGV 1 ms that screens are kept, 2 screens of a robot, 3 bytes of a robot, then for each robot: robot, number of its screens, oldest first
--      `<ms> <JSON>`
-- Output [number] for each robot: bytes before, bytes now; -1, -1 if it is no robot of the account, or the account is being removed
-- Why a script: a robot or an account that was removed meanwhile gets no screens, and the bytes are counted with what they count.
local record = redis.call('HMGET', KEYS[1], 'created_at', 'removing')
local exists = record[1] and not record[2]
local time = redis.call('TIME')
local oldest = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[1])
local screensMax, bytesMax = tonumber(ARGV[2]), tonumber(ARGV[3])

local reply = {}
local at = 4
for i = 3, #KEYS do
  local robot, count = ARGV[at], tonumber(ARGV[at + 1])
  local first = at + 2
  at = first + count
  if not exists or redis.call('SISMEMBER', KEYS[2], robot) == 0 then
    reply[#reply + 1] = -1
    reply[#reply + 1] = -1
  else
    local before, newest = 0, {}
    for n = first + count - 1, first, -1 do newest[#newest + 1] = ARGV[n] end
    for _, screen in ipairs(redis.call('LRANGE', KEYS[i], 0, -1)) do
      before = before + #screen
      newest[#newest + 1] = screen
    end
    local kept, bytes = 0, 0
    while kept < screensMax and newest[kept + 1] do
      local screen = newest[kept + 1]
      if bytes + #screen > bytesMax or tonumber(string.match(screen, '^%d+')) < oldest then break end
      bytes = bytes + #screen
      kept = kept + 1
    end
    for n = first, first + count - 1 do redis.call('LPUSH', KEYS[i], ARGV[n]) end
    if kept == 0 then redis.call('DEL', KEYS[i])
    else
      redis.call('LTRIM', KEYS[i], 0, kept - 1)
      redis.call('PEXPIRE', KEYS[i], ARGV[1])
    end
    reply[#reply + 1] = before
    reply[#reply + 1] = bytes
  end
end
return reply
