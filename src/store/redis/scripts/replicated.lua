#!lua flags=allow-oom
-- Records up to where replicas have the journal, and wakes those who follow it.
--
-- KEYS  1  @writer
--       2  @replicated
-- ARGV  1  session
--       2  newest position that enough replicas have
--
-- Reply OK
--       FENCED  another writer came after this one
--       LOST    the server lacks that position: it is not the one whose replicas have it

local state = redis.call('HMGET', KEYS[1], 'session', 'seq', 'replicated')
if state[1] ~= ARGV[1] then return 'FENCED' end
local replicated = tonumber(ARGV[2])
if replicated > tonumber(state[2] or '0') then return 'LOST' end
if replicated > tonumber(state[3] or '0') then
  redis.call('HSET', KEYS[1], 'replicated', ARGV[2])
  redis.call('XADD', KEYS[2], 'MAXLEN', 1, ARGV[2] .. '-0', 'replicated', '')
end
return 'OK'
