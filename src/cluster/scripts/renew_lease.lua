-- Renews the lease of a gateway on all its slots, and reports its load.
-- KEYS: members, processes, drains, loads.
-- ARGV: gateway, process, lease in ms (0: the gateway leaves the cluster), load as a JSON object of
-- numbers.
-- Returns 1 if the lease was still valid, 0 if the lease or its process had ended, and -1, without
-- renewing the lease, if another process holds it for this gateway's id; the number of other
-- gateways whose process or lease has ended within the last minute; the number of gateways with a
-- valid lease; the drained servers; and the sums of the other gateways' loads, as a JSON object.
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
  redis.call('HDEL', KEYS[4], gateway)
elseif is_known >= 0 then
  redis.call('ZADD', KEYS[1], now + lease, gateway)
  redis.call('HSET', KEYS[2], gateway, process)
  redis.call('HSET', KEYS[4], gateway, ARGV[4])
  redis.call('EXPIRE', KEYS[1], 86400)
  redis.call('EXPIRE', KEYS[2], 86400)
  redis.call('EXPIRE', KEYS[4], 86400)
end

local missing, members, elsewhere = 0, 0, {}
local leases = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for i = 1, #leases, 2 do
  local has_lease = tonumber(leases[i + 1]) > now
  local its_process = redis.call('HGET', KEYS[2], leases[i])
  if has_lease then members = members + 1 else redis.call('HDEL', KEYS[4], leases[i]) end
  if has_lease and leases[i] ~= gateway then
    for name, value in pairs(cjson.decode(redis.call('HGET', KEYS[4], leases[i]) or '{}')) do
      if type(value) == 'number' then elsewhere[name] = (elsewhere[name] or 0) + value end
    end
  end
  if not has_lease or (its_process and not is_listening(its_process)) then missing = missing + 1 end
end

redis.call('EXPIRE', KEYS[3], 86400)
local drained = {}
local marks = redis.call('HGETALL', KEYS[3])
for i = 1, #marks, 2 do
  if marks[i + 1] == '1' then table.insert(drained, marks[i]) end
end
return {is_known, missing, members, drained, cjson.encode(elsewhere)}
