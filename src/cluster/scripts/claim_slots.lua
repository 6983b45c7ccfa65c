-- Reconciles the loans that a gateway reports with the records, and lends the gateway one more slot
-- if it wishes for one. KEYS: members, processes, slots, wishes. ARGV: gateway, channel, number of
-- slots, kind of the wish ('' = none), ms until the wish is due, then for each slot that the
-- gateway has: slot, number, ms unused (-1 = unknown). Returns the loans of the gateway, four
-- values each: slot, number, ms unused, 1 if doubtful.
local gateway, channel, count, kind, due_in = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)

-- After a fail-over, the store may lack its latest records.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)') or ''
local born = tonumber(redis.call('HGET', KEYS[3], 'born'))
if not born or redis.call('HGET', KEYS[3], 'run') ~= run then
  born = now
  redis.call('HSET', KEYS[3], 'born', born, 'run', run)
end
local is_young = now - born < 3000
redis.call('EXPIRE', KEYS[3], 86400)
redis.call('EXPIRE', KEYS[4], 86400)

-- A record is "number:last use:doubtful:borrower"; the last use is 0 if unknown.
local function read(slot)
  local text = redis.call('HGET', KEYS[3], slot) or '0:0:0:'
  local number, used, doubtful, name = string.match(text, '^(%d+):(%d+):(%d):(.*)$')
  return {number = tonumber(number), used = tonumber(used), doubtful = doubtful, name = name}
end

local function lend(slot, used, doubtful, at_least)
  local number = math.max(tonumber(redis.call('HGET', KEYS[3], 'highest') or 0) + 1, at_least)
  redis.call('HSET', KEYS[3], 'highest', number, slot,
    string.format('%d:%d:%s:%s', number, used, doubtful, gateway))
end

for i = 6, #ARGV, 3 do
  local slot, number, unused = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local known = read(slot)
  if known.name == gateway then
    if known.doubtful == '1' then lend(slot, known.used, '0', number) end
  elseif known.name == '' or not is_alive(known.name, now, born) then
    lend(slot, unused < 0 and 0 or now - unused, '0', number)
  end
end

local is_served = kind == ''
if not is_served then
  local best, rank
  for slot = 0, count - 1 do
    local known = read(slot)
    local is_free = known.name == ''
    if known.name ~= gateway and (is_free or not is_alive(known.name, now, born)) then
      local r = (is_free and 0 or 1e15) + known.used
      if not best or r < rank then best, rank = slot, r end
    end
  end
  if best then
    local known = read(best)
    -- The gateway must watch a doubtful slot first, so another gateway may be able to help sooner.
    is_served = known.name == '' and not is_young
    lend(best, known.used, is_served and '0' or '1', 0)
  end
end
if not is_served then
  redis.call('HSET', KEYS[4], gateway, string.format('%d:%s', now + due_in, kind))
  redis.call('PUBLISH', channel, 'wish ' .. gateway .. ' ' .. kind .. ' ' .. due_in)
elseif redis.call('HDEL', KEYS[4], gateway) == 1 then
  redis.call('PUBLISH', channel, 'end ' .. gateway)
end

local loans = {}
for slot = 0, count - 1 do
  local known = read(slot)
  if known.name == gateway then
    table.insert(loans, slot)
    table.insert(loans, known.number)
    table.insert(loans, known.used == 0 and -1 or now - known.used)
    table.insert(loans, is_young and 1 or tonumber(known.doubtful))
  end
end
return loans
