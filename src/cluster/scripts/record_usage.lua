-- Records what a reply of an API key has used, and how many replies of the key this gateway runs.
-- KEYS: usage of the key; see admit_request.lua. ARGV: gateway, running replies ('' = not limited),
-- tokens a minute (0 = not limited), tokens used, process. Returns 1.
local per_minute, used = tonumber(ARGV[3]), tonumber(ARGV[4])
local t = redis.call('TIME')
local clock = t[1] * 1000000 + t[2]
local minute = 60e9

if ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'running:' .. ARGV[1], string.format('%d %s', ARGV[2], ARGV[5]))
end
if per_minute > 0 then
  local at, left = string.match(redis.call('HGET', KEYS[1], 'tokens') or '', '^(%d+):(%d+)$')
  local now = math.max(clock, tonumber(at) or 0)
  local until_full = at and math.max(left - (now - at) * 1000, 0) or 0
  local cost = math.floor(math.min(used / per_minute * minute, 1440 * minute))
  redis.call('HSET', KEYS[1], 'tokens',
    string.format('%d:%d', now, math.min(until_full + cost, 1440 * minute)))
end
redis.call('EXPIRE', KEYS[1], 86400)
return 1
