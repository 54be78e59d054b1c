-- Exchanges the secret of a grant for its next one: an authorization code, then refresh tokens, each of which works once.
-- KEYS 1 record of the grant
-- ARGV 1 time after which nothing is done (ms), 2 'code' | 'refresh', 3 hash of the secret that is exchanged, 4 hash of the next one, 5 ms from now until
--      the grant ends, 6 when an agent first connected with its access token, '' if unknown
-- Output 'done' | 'late' | 'other' the current secret is not of this kind | 'reused' the secret is not the current one | 'gone' there is no such grant
-- Why a script: of two concurrent exchanges of one secret, one succeeds and the other is seen to reuse it. A late one does nothing (in-time.ts).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then return 'late' end
local step = redis.call('HGET', KEYS[1], 'step')
if not step then return 'gone' end
local kind, hash = string.match(step, '^(%a+) (%S+)$')
if hash ~= ARGV[3] then return 'reused' end
if kind ~= ARGV[2] then return 'other' end
local ends = string.format('%.0f', now + tonumber(ARGV[5]))
redis.call('HSET', KEYS[1], 'step', 'refresh ' .. ARGV[4], 'expires_at', ends, 'last_used', string.format('%.0f', now))
if ARGV[6] ~= '' then redis.call('HSETNX', KEYS[1], 'agent_at', ARGV[6]) end
redis.call('HDEL', KEYS[1], 'redirect', 'challenge')
redis.call('PEXPIREAT', KEYS[1], ends)
return 'done'
