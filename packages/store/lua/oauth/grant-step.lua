-- Exchanges the secret of a grant for its next one: an authorization code, once, then refresh tokens. The refresh token before the current one is known
-- until the current one is used.
-- KEYS 1 record of the grant
-- ARGV 1 time after which nothing is done (ms), 2 'code' | 'refresh' | 'again' the secret before keeps other tokens, 3 hash of the secret that is exchanged,
--      4 hash of the next one, 5 ms from now until the grant ends, 6 when an agent first connected with its access token, '' if unknown, 7 tokens that
--      it is exchanged for, encrypted, '' of a code, 8 those that 'again' replaces
-- Output 'done' | 'late' | 'other' the current secret is not of this kind | 'before' the secret is the one before the current one, or 'again' came too
--        late | 'reused' the secret is an older one | 'gone' there is no such grant
-- Why a script: of two concurrent exchanges of one secret, one succeeds, and the other gets what the first got. A late one does nothing (in-time.ts).
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then return 'late' end
local step = redis.call('HGET', KEYS[1], 'step')
if not step then return 'gone' end
local kind, hash = string.match(step, '^(%a+) (%S+)$')
-- Names both: releases before 0.11 write the current secret alone.
local isBefore = redis.call('HGET', KEYS[1], 'before') == ARGV[3] .. ' ' .. hash
local ends = string.format('%.0f', now + tonumber(ARGV[5]))
if ARGV[2] == 'again' then
  if not isBefore or redis.call('HGET', KEYS[1], 'kept') ~= ARGV[8] then return 'before' end
  redis.call('HSET', KEYS[1], 'kept', ARGV[7], 'expires_at', ends, 'last_used', string.format('%.0f', now))
  redis.call('PEXPIREAT', KEYS[1], ends)
  return 'done'
end
if hash ~= ARGV[3] then return isBefore and ARGV[2] == 'refresh' and 'before' or 'reused' end
if kind ~= ARGV[2] then return 'other' end
redis.call('HSET', KEYS[1], 'step', 'refresh ' .. ARGV[4], 'expires_at', ends, 'last_used', string.format('%.0f', now))
if ARGV[7] ~= '' then redis.call('HSET', KEYS[1], 'before', ARGV[3] .. ' ' .. ARGV[4], 'kept', ARGV[7]) end
if ARGV[6] ~= '' then redis.call('HSETNX', KEYS[1], 'agent_at', ARGV[6]) end
redis.call('HDEL', KEYS[1], 'redirect', 'challenge')
redis.call('PEXPIREAT', KEYS[1], ends)
return 'done'
