#!lua flags=allow-oom
-- Forgets journal entries before a position, and remembers how far. The newest entry stays.
--
-- KEYS  1  @writer
--       2  @journal
-- ARGV  1  session
--       2  the position
--       3  fencing token
--
-- Reply OK
--       FENCED  another writer came after this one
--       LOST    the server does not know that it ever gave this writer the role

local state = redis.call('HMGET', KEYS[1], 'session', 'seq', 'token')
local token = tonumber(state[3] or '0')
if token < tonumber(ARGV[3]) then return 'LOST' end
if token > tonumber(ARGV[3]) or state[1] ~= ARGV[1] then return 'FENCED' end
local before = ARGV[2]
if tonumber(before) > tonumber(state[2] or '0') then before = state[2] or '0' end
if tonumber(before) == 0 then return 'OK' end
local last = redis.call('XREVRANGE', KEYS[2], '(' .. before .. '-0', '-', 'COUNT', 1)[1]
if last then
  redis.call('XTRIM', KEYS[2], 'MINID', before .. '-0')
  redis.call('HSET', KEYS[1], 'trimmed', string.match(last[1], '^%d+'))
end
return 'OK'
