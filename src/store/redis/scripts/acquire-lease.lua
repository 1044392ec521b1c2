#!lua flags=allow-oom
-- Takes the writer role, unless another's lease runs. May be repeated with the same session, for a
-- reply that was lost.
--
-- KEYS  1  @lease
--       2  @writer
--       3  @replicated
-- ARGV  1  session: random, made for this lease
--       2  name of the holder
--       3  duration in milliseconds
--       4  session whose lease may run on: what this writer had when the server forgot its commits, or another's that
--          it takes the place of; or nothing
--       5  how many replicas have a commit before it is acknowledged; 0: none need to
--
-- Reply { fencing token, newest position of the journal }, or nil while another's lease runs

local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] and held ~= ARGV[4] then return false end
local state = redis.call('HMGET', KEYS[2], 'token', 'session', 'landed', 'seq', 'replicas', 'replicated')
local token = tonumber(state[1] or '0')
if state[2] ~= ARGV[1] then
  token = token + 1
  -- A role given up has no session, and its record was made then.
  if state[2] and state[2] ~= '' then
    redis.call('HSET', KEYS[2], 'previous_session', state[2], 'previous_landed', state[3])
  end
  redis.call('HSET', KEYS[2], 'token', token, 'session', ARGV[1], 'holder', ARGV[2],
    'attempt', 0, 'landed', 0)
  if ARGV[5] == '0' then
    if state[5] then redis.call('HDEL', KEYS[2], 'replicas') end
  else
    -- What a writer without replicas acknowledged counts as it is.
    if not state[5] and tonumber(state[4] or '0') > tonumber(state[6] or '0') then
      redis.call('HSET', KEYS[2], 'replicated', state[4])
      redis.call('XADD', KEYS[3], 'MAXLEN', 1, state[4] .. '-0', 'replicated', '')
    end
    redis.call('HSET', KEYS[2], 'replicas', ARGV[5])
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return { token, tonumber(state[4] or '0') }
