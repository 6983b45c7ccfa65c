-- Renews the lease of a gateway on all its slots.
-- KEYS: members, processes, drains. ARGV: gateway, process, lease in ms (0: the gateway leaves the cluster).
-- Returns 1 if the lease had not ended, 0 if it had, or was that of a process that has ended, and -1 if
-- another process has the lease of a gateway with this id, which then stays as it is; the number of other
-- gateways whose process or lease has ended within the last minute; the number of gateways whose lease has
-- not ended; and the drained servers.
local gateway, process, lease = ARGV[1], ARGV[2], tonumber(ARGV[3])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local is_known = tonumber(redis.call('ZSCORE', KEYS[1], gateway) or 0) > now and 1 or 0
local owner = redis.call('HGET', KEYS[2], gateway)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 60000)
if is_known == 1 and owner and owner ~= process then is_known = is_listening(owner) and -1 or 0 end
if is_known >= 0 and lease == 0 then
  redis.call('ZREM', KEYS[1], gateway)
  redis.call('HDEL', KEYS[2], gateway)
elseif is_known >= 0 then
  redis.call('ZADD', KEYS[1], now + lease, gateway)
  redis.call('HSET', KEYS[2], gateway, process)
  redis.call('EXPIRE', KEYS[1], 86400)
  redis.call('EXPIRE', KEYS[2], 86400)
end

local missing, members = 0, 0
local leases = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #leases, 2 do
  local has_lease = tonumber(leases[i + 1]) > now
  local its_process = redis.call('HGET', KEYS[2], leases[i])
  if has_lease then members = members + 1 end
  if not has_lease or (its_process and not is_listening(its_process)) then missing = missing + 1 end
end

redis.call('EXPIRE', KEYS[3], 86400)
local drained = {}
local marks = redis.call('HGETALL', KEYS[3])
for i = 1, #marks, 2 do
  if marks[i + 1] == '1' then table.insert(drained, marks[i]) end
end
return {is_known, missing, members, drained}
