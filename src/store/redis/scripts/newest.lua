#!lua flags=allow-oom
-- Says how far the journal came, and writes, so that WAIT behind it counts the replicas that follow this server now: one
-- whose place another has taken has too few.
--
-- KEYS  1  @writer
--
-- Reply the newest position, replicated or not

redis.call('HSET', KEYS[1], 'asked', '')
return tonumber(redis.call('HGET', KEYS[1], 'seq') or '0')
