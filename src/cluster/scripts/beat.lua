-- Renews the lease of a gateway on all its slots.
-- KEYS: members. ARGV: gateway, lease in ms. Returns 1 if the lease had not ended, else 0; and the
-- number of other gateways whose lease ended within the last minute; and the number of gateways whose
-- lease has not ended.
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ends = tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or 0)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], 86400)
local missing = redis.call('ZCOUNT', KEYS[1], '-inf', now)
return {ends > now and 1 or 0, missing, redis.call('ZCARD', KEYS[1]) - missing}
