-- Marks a server as drained or not, for all gateways.
-- KEYS: drains. ARGV: server, '1' or '0', '1' if an existing mark takes precedence. Returns 1.
redis.call(ARGV[3] == '1' and 'HSETNX' or 'HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], 86400)
return 1
