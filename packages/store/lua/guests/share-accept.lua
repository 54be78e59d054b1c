-- Uses up a share link: its robot is shared with the account from then on, with the permission of the link.
-- KEYS 1 the robot's record, 2 guests, 3 share links
-- ARGV 1 hash of the link's token, 2 the account, 3 its e-mail address
-- Output {text owner, text permission} | {} there is no such link, it has expired, or the robot was removed |
--        {text owner} the robot is the account's own
-- Why a script: of two accounts with the same link one gets the robot, and a removed robot is shared with no one.
local owner = redis.call('HGET', KEYS[1], 'account')
local link = redis.call('HGET', KEYS[3], ARGV[1])
if not owner or not link then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local permission, expires = string.match(link, '^(%a+) (%d+)$')
if tonumber(expires) <= now then return {} end
if owner == ARGV[2] then return {owner} end
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[2], string.format('%s %.0f %s', permission, now, ARGV[3]))
return {owner, permission}
