#!lua
-- One change of one table, all of it or nothing.
--
-- The first line has a server that may not write (a replica, no memory, too few replicas) refuse before anything is done:
-- what a replica holds may be too old to compare an etag with. What the stream raises for a version it has seen comes
-- with the first write, so that nothing is half done.
--
-- KEYS  1 table  2 events  3 deadlines  4 lobby  5 summaries  then the request (only with a request id)
--       and at the end hands and played (only where a hand ends or the table does)
-- ARGV  1 expected etag   2 new etag        3 new version     4 "write" or "delete"
--       5 snapshot        6 events          7 oldest version whose events stay   8 table id
--       9 deadline in ms, empty for none   10 lobby member   11 "1" with a lobby entry  12 lobby entry
--      13 channel of the notice, empty when the caller publishes it later
--      14 what to remember under the request id, empty without one      15 for how many ms
--      Only where a hand ends:
--      16 its number     17 its first version  18 when it ended in ms   19 its record
--      20 hands to keep  21 for how many ms
--
-- Returns {"committed", the keys that were made anew}, {"conflict", version, etag} or {"repeat", what was remembered}.
--
-- What a key other than the table's and its events' holds follows from commits. If it holds something that no commit has
-- put there it is made anew: whatever was raised there would leave a change half done.

local table_key, events_key, deadlines_key = KEYS[1], KEYS[2], KEYS[3]
local lobby_key, summaries_key = KEYS[4], KEYS[5]
local expected_etag, etag, version, operation = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local snapshot, events, oldest_kept, table_id = ARGV[5], ARGV[6], ARGV[7], ARGV[8]
local deadline_ms, lobby_member, listed, summary = ARGV[9], ARGV[10], ARGV[11], ARGV[12]
local channel, remembered, remember_ms = ARGV[13], ARGV[14], ARGV[15]
local request_key = remembered ~= '' and KEYS[6]
local hands_key, played_key = KEYS[#KEYS - 1], KEYS[#KEYS]
local hand_number, first_version, ended_ms, record = tonumber(ARGV[16]), ARGV[17], ARGV[18], ARGV[19]
local hands_kept, keep_ms = ARGV[20], ARGV[21]

local answer = {'committed'}

local function damaged(problem)
  return string.find(problem, 'WRONGTYPE', 1, true) or string.find(problem, 'equal or smaller', 1, true)
end

local function put(command, key, ...)
  local done = redis.pcall(command, key, ...)
  if type(done) ~= 'table' or not done.err then
    return done
  end
  if not damaged(done.err) then
    error(done) -- what the user may not do, and the like: no reason to drop anything
  end
  redis.call('UNLINK', key)
  answer[#answer + 1] = key
  return redis.call(command, key, ...)
end

-- Copies the events of the hand that ends here, and forgets the hands that are too many or too old.
local function keep_hand()
  local commits = redis.call('XRANGE', events_key, first_version .. '-0', '+')
  if #commits ~= version - first_version + 1 then
    return -- its beginning is no longer there, and half a hand is none
  end
  local blobs = {}
  for at, commit in ipairs(commits) do
    local blob = commit[2][4] -- after e, the etag and p
    blobs[at] = #blob .. ':' .. blob
  end
  local newest = put('XREVRANGE', hands_key, '+', '-', 'COUNT', 1)[1]
  if newest and tonumber(string.match(newest[1], '^%d+')) >= hand_number then
    -- Left over from a future that was lost, whose numbers begin again.
    redis.call('UNLINK', hands_key, played_key)
  end
  local id = ARGV[16] .. '-' .. ended_ms
  put('XADD', hands_key, id, 'r', record)
  put('XADD', played_key, id, 'p', table.concat(blobs))
  local oldest = math.max(hand_number - hands_kept + 1, 0) .. '-0'
  while true do
    local hand = redis.call('XRANGE', hands_key, oldest, '+', 'COUNT', 1)[1]
    local number, ended = string.match(hand[1], '(%d+)-(%d+)')
    if tonumber(ended) >= ended_ms - keep_ms then
      break -- as the one that was just added does at the latest
    end
    oldest = (number + 1) .. '-0'
  end
  for _, key in ipairs({hands_key, played_key}) do
    redis.call('XTRIM', key, 'MINID', oldest)
    redis.call('PEXPIRE', key, keep_ms)
  end
end

if request_key then
  local before = redis.call('GET', request_key)
  if before then
    if channel == '' then
      -- The caller waits for replicas next. A write is what makes it wait for everything up to now.
      redis.call('PEXPIRE', request_key, remember_ms)
    end
    return {'repeat', before}
  end
end

local current = redis.call('HMGET', table_key, 'version', 'etag')
local current_etag = current[2] or ''
if current_etag ~= expected_etag then
  return {'conflict', current[1] or '0', current_etag}
end

if expected_etag == '' and redis.call('EXISTS', events_key) == 1 then
  -- Left over from a deleted table of the same id, whose versions begin again.
  redis.call('DEL', events_key)
end
redis.call('XADD', events_key, 'MINID', '~', oldest_kept, version .. '-0', 'e', etag, 'p', events)
if hand_number then
  keep_hand()
end

if operation == 'delete' then
  redis.call('DEL', table_key)
  redis.call('UNLINK', hands_key, played_key)
  redis.call('PEXPIRE', events_key, remember_ms)
else
  redis.call('HSET', table_key, 'version', version, 'etag', etag, 'snapshot', snapshot)
end

if deadline_ms == '' then
  put('ZREM', deadlines_key, table_id)
else
  put('ZADD', deadlines_key, deadline_ms, table_id)
end

if listed == '1' then
  put('ZADD', lobby_key, 0, lobby_member)
  put('HSET', summaries_key, table_id, summary)
else
  put('ZREM', lobby_key, lobby_member)
  put('HDEL', summaries_key, table_id)
end

if request_key then
  redis.call('SET', request_key, remembered, 'PX', remember_ms)
end

if channel ~= '' then
  redis.call('PUBLISH', channel, version .. ' ' .. table_id)
end

return answer
