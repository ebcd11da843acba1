-- Takes tables of a shard whose deadline has passed: it moves their deadline ahead, so that nobody else takes them before
-- the claim ends. Whoever changes such a table sets its deadline anew; if the claimant dies, the table is due once more.
--
-- KEYS  1 deadlines
-- ARGV  1 now in ms  2 end of the claim in ms  3 how many at most
--
-- Returns {the earliest deadline that is left, empty for none; the ids of the claimed tables}.

local deadlines_key = KEYS[1]
local now_ms, claimed_until_ms, limit = ARGV[1], ARGV[2], ARGV[3]

local due = redis.call('ZRANGE', deadlines_key, '-inf', now_ms, 'BYSCORE', 'LIMIT', 0, limit)
for _, table_id in ipairs(due) do
  redis.call('ZADD', deadlines_key, 'XX', claimed_until_ms, table_id)
end

local earliest = redis.call('ZRANGE', deadlines_key, 0, 0, 'WITHSCORES')
return {earliest[2] or '', due}
