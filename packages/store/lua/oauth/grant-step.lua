-- Exchanges the secret of a grant for its next one: an authorization code, then refresh tokens, each of which works once.
-- KEYS 1 record of the grant
-- ARGV 1 'code' | 'refresh', 2 hash of the secret that is exchanged, 3 hash of the next one, 4 ms from now until the grant ends, 5 when an agent first
--      connected with its access token, '' if unknown
-- Output 'done' | 'other' the current secret is not of this kind | 'reused' the secret is not the current one | 'gone' there is no such grant
-- Why a script: of two concurrent exchanges of one secret, one succeeds and the other is seen to reuse it.
local step = redis.call('HGET', KEYS[1], 'step')
if not step then return 'gone' end
local kind, hash = string.match(step, '^(%a+) (%S+)$')
if hash ~= ARGV[2] then return 'reused' end
if kind ~= ARGV[1] then return 'other' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = string.format('%.0f', now + tonumber(ARGV[4]))
redis.call('HSET', KEYS[1], 'step', 'refresh ' .. ARGV[3], 'expires_at', ends, 'last_used', string.format('%.0f', now))
if ARGV[5] ~= '' then redis.call('HSETNX', KEYS[1], 'agent_at', ARGV[5]) end
redis.call('HDEL', KEYS[1], 'redirect', 'challenge')
redis.call('PEXPIREAT', KEYS[1], ends)
return 'done'
