#!lua flags=allow-oom
-- Prolongs a lease. One that ran out while nobody else took the role begins again.
--
-- KEYS  1  @lease
--       2  @writer
-- ARGV  1  session
--       2  duration in milliseconds
--       3  fencing token
--       4  number of the last commit script of the session that was decided
--
-- Reply OK
--       FENCED  another writer came after this one
--       LOST    the server does not know what it had acknowledged to this writer

local state = redis.call('HMGET', KEYS[2], 'token', 'session', 'attempt')
local token = tonumber(state[1] or '0')
if token < tonumber(ARGV[3]) then return 'LOST' end
-- A request for the role that was on its way for long gives it to the same session again, after others wrote.
if token > tonumber(ARGV[3]) or state[2] ~= ARGV[1] then return 'FENCED' end
if tonumber(state[3]) < tonumber(ARGV[4]) then return 'LOST' end
-- Memory may be full: a lease that is there is prolonged without a new value.
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 'OK'
