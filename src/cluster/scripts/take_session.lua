-- Takes a session from the gateway that has it: that gateway's later records are rejected. If the
-- gateway runs, it is first asked to release the session, because the stored record lags behind
-- what the listener has heard. KEYS: session, processes. ARGV: gateway, owner, epoch at this
-- gateway (0 = it does not have the session), message that asks for the release ('' = takes the
-- session without asking). Returns epoch and record; the record is '' if no other gateway has had
-- the session since that epoch. Returns 1 if the gateway that has the session was asked, and nil if
-- the owner has no such session. Reads the record only at the end, because it can be long, and the
-- caller polls.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'owner', 'gateway')
if not known[1] or known[2] ~= ARGV[2] then return false end
local epoch, own, holder = tonumber(known[1]), tonumber(ARGV[3]), known[3]
if own >= epoch then return {own, ''} end
local process = holder ~= ARGV[1] and ARGV[4] ~= '' and redis.call('HGET', KEYS[2], holder)
if process and redis.call('PUBLISH', process, ARGV[4]) > 0 then return 1 end
redis.call('HSET', KEYS[1], 'epoch', epoch + 1, 'gateway', ARGV[1])
return {epoch + 1, redis.call('HGET', KEYS[1], 'record')}
