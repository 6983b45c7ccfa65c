-- Lets any gateway take a session without asking this one.
-- KEYS: session. ARGV: gateway, epoch at this gateway (0 = it does not have the session).
local known = redis.call('HMGET', KEYS[1], 'epoch', 'gateway')
local epoch = tonumber(ARGV[2])
if known[2] == ARGV[1] and (epoch == 0 or epoch == tonumber(known[1])) then
  redis.call('HSET', KEYS[1], 'gateway', '')
end
return 1
