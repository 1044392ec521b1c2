#!lua flags=allow-oom
-- Decides an attempt to commit whose reply was lost. An attempt that has not landed by now is
-- declared never to land: should it still arrive, over a connection that was slow to die, commit.lua
-- finds its number used up. For a writer that waits for replicas it writes in any case: WAIT counts what its own
-- connection wrote, and a new connection has not written the attempt.
--
-- KEYS  1  @writer
-- ARGV  1  fencing token
--       2  session
--       3  number of the attempt, the last that the session made
--
-- Reply LANDED   it is written
--       ABSENT   it is not, and never will be
--       FENCED   the same, and another writer came after this one
--       LOST     the server does not know what it had acknowledged to this writer

local fields = { 'token', 'session', 'attempt', 'landed', 'previous_session', 'previous_landed', 'replicas' }
local state = redis.call('HMGET', KEYS[1], unpack(fields))
local token, attempt = tonumber(state[1] or '0'), tonumber(ARGV[3])
if token < tonumber(ARGV[1]) then return 'LOST' end
if token > tonumber(ARGV[1]) or state[2] ~= ARGV[2] then
  if state[5] == ARGV[2] and tonumber(state[6]) == attempt then
    if state[7] then redis.call('HSET', KEYS[1], 'previous_landed', state[6]) end
    return 'LANDED'
  end
  return 'FENCED'
end
local known = tonumber(state[3])
if known < attempt - 1 then return 'LOST' end
if known < attempt or state[7] then
  redis.call('HSET', KEYS[1], 'attempt', math.max(known, attempt))
end
if tonumber(state[4]) == attempt then return 'LANDED' end
return 'ABSENT'
