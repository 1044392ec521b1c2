#!lua flags=allow-oom
-- Prolongs a lease. One that ran out while nobody else took the role begins again.
--
-- KEYS  1  @lease
--       2  @writer
-- ARGV  1  session
--       2  duration in milliseconds
--
-- Reply OK, or FENCED when another writer came after this one

if redis.call('HGET', KEYS[2], 'session') ~= ARGV[1] then return 'FENCED' end
-- Memory may be full: a lease that is there is prolonged without a new value.
if redis.call('PEXPIRE', KEYS[1], ARGV[2]) == 0 then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return 'OK'
