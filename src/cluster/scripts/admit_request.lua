-- Admits a request of an API key unless the key has reached a limit. All gateways share the limits.
-- KEYS: members, usage of the key, processes. ARGV: gateway; requests a minute, tokens a minute,
-- running replies (0 = not limited); this gateway's running replies, including this one; ns until
-- all requests and until all tokens are available again, according to the gateway; 1 if the store
-- may lack usage; process. Returns 1 if the request is admitted, else 0; the same two times
-- according to the store; and the number of running replies of the other gateways.
local gateway, concurrent, running = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])
local t = redis.call('TIME')
local clock = t[1] * 1000000 + t[2]
local minute = 60e9

-- A record is "time in µs:ns until everything is available again". The rule is the same as in
-- rate_limit.cpp.
local function read(name, per_minute, told)
  local at, left = string.match(redis.call('HGET', KEYS[2], name) or '', '^(%d+):(%d+)$')
  local now = math.max(clock, tonumber(at) or 0)
  local until_full = at and math.max(left - (now - at) * 1000, 0) or 0
  if not at or ARGV[8] == '1' then until_full = math.max(until_full, tonumber(told)) end
  return {now = now, until_full = until_full, per_minute = tonumber(per_minute)}
end

local function cost_of_one(limit)
  return math.floor(1 / limit.per_minute * minute)
end

local function is_reached(limit)
  return limit.per_minute > 0 and
    limit.until_full + math.min(cost_of_one(limit), minute) - minute > 0
end

local function write(name, limit)
  redis.call('HSET', KEYS[2], name, string.format('%d:%d', limit.now, limit.until_full))
end

local function count_elsewhere()
  local count = 0
  local fields = redis.call('HGETALL', KEYS[2])
  for i = 1, #fields, 2 do
    local other = string.match(fields[i], '^running:(.*)$')
    if other and other ~= gateway then
      local lease_end = redis.call('ZSCORE', KEYS[1], other)
      if not lease_end then
        redis.call('HDEL', KEYS[2], fields[i])
      elseif tonumber(lease_end) * 1000 > clock then
        local replies, process = string.match(fields[i + 1], '^(%d+) (.*)$')
        -- A gateway that was killed may have been restarted, and then no longer runs these replies.
        if redis.call('HGET', KEYS[3], other) == process then count = count + replies end
      end
    end
  end
  return count
end

local requests = read('requests', ARGV[2], ARGV[6])
local tokens = read('tokens', ARGV[3], ARGV[7])
local elsewhere = concurrent > 0 and count_elsewhere() or 0
local is_admitted = not is_reached(requests) and not is_reached(tokens) and
  (concurrent <= 0 or running + elsewhere <= concurrent)
if is_admitted and requests.per_minute > 0 then
  requests.until_full = math.min(requests.until_full + cost_of_one(requests), 1440 * minute)
end
write('requests', requests)
write('tokens', tokens)
if concurrent > 0 then
  local replies = is_admitted and running or running - 1
  redis.call('HSET', KEYS[2], 'running:' .. gateway, string.format('%d %s', replies, ARGV[9]))
end
redis.call('EXPIRE', KEYS[2], 86400)
return {is_admitted and 1 or 0, requests.until_full, tokens.until_full, elsewhere}
