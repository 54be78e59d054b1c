-- Claims a pairing for the account that entered its code.
-- KEYS 1 pairing
-- ARGV 1 account
-- Output {} expired, or claimed by another account | {text serial, text model, text firmware, text robot ('' until approved)}
-- Why a script: one code pairs one robot with one account. The same account may claim again, to repeat an interrupted approval.
local pairing = redis.call('HMGET', KEYS[1], 'serial', 'account', 'model', 'firmware', 'robot')
if not pairing[1] or (pairing[2] and pairing[2] ~= ARGV[1]) then return {} end
redis.call('HSET', KEYS[1], 'account', ARGV[1])
return {pairing[1], pairing[3], pairing[4], pairing[5] or ''}
