#!lua flags=allow-oom
-- Gives the writer role up, if this session still has it: a successor need not wait, and whatever
-- the session sent before and arrives later is refused.
--
-- KEYS  1  @lease
--       2  @writer
--       3  @freed
-- ARGV  1  session
--
-- Reply OK

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
  -- Wakes one who waits for it with BLPOP; who comes later than this finds the lease free.
  redis.call('DEL', KEYS[3])
  redis.call('RPUSH', KEYS[3], '1')
  redis.call('PEXPIRE', KEYS[3], 1000)
end
if redis.call('HGET', KEYS[2], 'session') == ARGV[1] then
  local landed = redis.call('HGET', KEYS[2], 'landed')
  redis.call('HSET', KEYS[2], 'session', '',
    'previous_session', ARGV[1], 'previous_landed', landed)
end
return 'OK'
