-- Records a sign-in with a passkey, if its signature counter increased.
-- KEYS 1 the passkey's record
-- ARGV 1 signature counter that the authenticator sent, 0 if it does not count
-- Output 'used' | 'removed' | 'went_back' the counter did not increase: the passkey may have been copied
-- Why a script: of two concurrent sign-ins with the same counter one fails, and a removed passkey must not be created again.
local stored = tonumber(redis.call('HGET', KEYS[1], 'counter') or '')
if not stored then return 'removed' end
local counter = tonumber(ARGV[1])
if (counter > 0 or stored > 0) and counter <= stored then return 'went_back' end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], 'counter', ARGV[1], 'last_used', string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
return 'used'
