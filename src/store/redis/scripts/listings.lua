#!lua flags=no-writes,allow-oom
-- How many members sorted sets have, and how many they should: `commit.lua` counts.
--
-- KEYS  1     @writer
--       then  sorted sets
--
-- Reply { members, counted }, one after the other; counted is nil where nothing was counted yet

local reply = {}
for i = 2, #KEYS do
  reply[#reply + 1] = redis.call('ZCARD', KEYS[i])
  reply[#reply + 1] = redis.call('HGET', KEYS[1], 'count:' .. KEYS[i])
end
return reply
