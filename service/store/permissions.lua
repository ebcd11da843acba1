-- Says which of the commands that a store needs its user may not run, without running any.
--
-- KEYS  1 any key of a shard
-- ARGV  1 channel of its notices
--
-- Returns their names.

local key, channel = KEYS[1], ARGV[1]

local needed = {
  {'GET', key}, {'SET', key, ''}, {'EXISTS', key}, {'DEL', key}, {'UNLINK', key}, {'PEXPIRE', key, '1'},
  {'HMGET', key, ''}, {'HSET', key, '', ''}, {'HDEL', key, ''},
  {'XADD', key, '1-0', '', ''}, {'XRANGE', key, '-', '+'}, {'XREVRANGE', key, '+', '-'}, {'XTRIM', key, 'MINID', '0'},
  {'ZADD', key, '0', ''}, {'ZREM', key, ''}, {'ZRANGE', key, '0', '0'}, {'ZCARD', key},
  {'EVAL', '', '1', key}, {'EVALSHA', '', '1', key}, {'MULTI'}, {'EXEC'}, {'WAIT', '1', '1'}, {'PING'},
  {'PUBLISH', channel, ''}, {'SUBSCRIBE', channel}, {'UNSUBSCRIBE', channel},
}

local refused = {}
for _, command in ipairs(needed) do
  if not redis.acl_check_cmd(unpack(command)) then
    refused[#refused + 1] = command[1]
  end
end
return refused
