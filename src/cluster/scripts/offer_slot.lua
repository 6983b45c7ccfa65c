-- Hands a slot to the gateway whose wish is due first.
-- KEYS: members, processes, slots, wishes.
-- ARGV: gateway, channel, slot, number, ms unused (-1 = unknown), 1 if the gateway is leaving.
-- Returns 1 if the gateway no longer has the slot, else 0.
local gateway, channel, slot, number, unused = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local text = redis.call('HGET', KEYS[3], slot) or '0:0:0:'
local known, last_use, _, name = string.match(text, '^(%d+):(%d+):(%d):(.*)$')
if name ~= gateway or known ~= number then return 1 end

local used = unused < 0 and tonumber(last_use) or now - unused
local first, due
local born = tonumber(redis.call('HGET', KEYS[3], 'born') or now)
local wishes = redis.call('HGETALL', KEYS[4])
for i = 1, #wishes, 2 do
  local at = tonumber(string.match(wishes[i + 1], '^(-?%d+):'))
  if not is_alive(wishes[i], now, born) then
    redis.call('HDEL', KEYS[4], wishes[i])
  elseif wishes[i] ~= gateway and (not first or at < due or (at == due and wishes[i] < first)) then
    first, due = wishes[i], at
  end
end
if not first then
  if ARGV[6] ~= '1' then return 0 end
  redis.call('HSET', KEYS[3], slot, string.format('%s:%d:0:', known, used))
  return 1
end
local next_number = tonumber(redis.call('HGET', KEYS[3], 'highest') or 0) + 1
redis.call('HSET', KEYS[3], 'highest', next_number, slot,
  string.format('%d:%d:0:%s', next_number, used, first))
redis.call('HDEL', KEYS[4], first)
redis.call('PUBLISH', channel, 'lent ' .. first .. ' ' .. slot .. ' ' .. next_number .. ' ' ..
  (used == 0 and -1 or now - used))
return 1
