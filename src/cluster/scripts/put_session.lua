-- Keeps the record of a session, unless another gateway has taken the session.
-- KEYS: session. ARGV: epoch, gateway, owner, ms to keep it, record ('' removes the session).
-- Returns 1, or 0 if the session is taken.
local known = tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0)
if known > tonumber(ARGV[1]) then return 0 end
if ARGV[5] == '' then
  redis.call('DEL', KEYS[1])
else
  local t = redis.call('TIME')
  redis.call('HSET', KEYS[1], 'epoch', ARGV[1], 'gateway', ARGV[2], 'owner', ARGV[3], 'record', ARGV[5],
    'written', t[1] * 1000 + math.floor(t[2] / 1000))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return 1
