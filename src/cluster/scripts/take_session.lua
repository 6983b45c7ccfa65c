-- Takes a session from the gateway that has it: later records of that gateway are refused.
-- KEYS: session. ARGV: gateway, owner, epoch at this gateway (0 = it does not have the session).
-- Returns epoch and record; the record is '' if no other gateway has had the session since that epoch.
-- Returns nil if the owner has no such session.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'owner', 'record')
if not known[1] or known[2] ~= ARGV[2] then return false end
local epoch, own = tonumber(known[1]), tonumber(ARGV[3])
if own >= epoch then return {own, ''} end
redis.call('HSET', KEYS[1], 'epoch', epoch + 1, 'gateway', ARGV[1])
return {epoch + 1, known[3]}
