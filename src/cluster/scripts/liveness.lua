-- Included by the scripts below, whose keys begin with: members, processes.

-- Each process of a gateway has a channel for messages. The store notices immediately when the
-- process ends.
local function is_listening(process)
  return redis.call('PUBSUB', 'NUMSUB', process)[2] > 0
end

-- After a start or a fail-over of the store, gateways need a moment to connect.
local function is_alive(name, now, born)
  if tonumber(redis.call('ZSCORE', KEYS[1], name) or 0) <= now then return false end
  local process = redis.call('HGET', KEYS[2], name)
  return not process or now - born < 3000 or is_listening(process)
end

