#!lua
-- Makes a commit durable: all of it or nothing.
--
-- KEYS  1            @writer
--       2            @journal
--       then         documents to set, documents to merge into, documents to delete,
--                    sorted sets to change (listings of ids, due indexes)
-- ARGV  1            fencing token
--       2            session
--       3            number of this attempt, one more than that of the last one decided
--       4            'json' (documents are JSON values) or 'text' (strings)
--       5 6 7 8 9    how many: entries, documents to set, to merge into, to delete, sorted sets
--       then         per entry: position, text
--                    per document to set: its text
--                    per document to merge into: number of fields, then path and text of each
--                    per sorted set: number to add, number to remove, then score and member of
--                    each to add, then each member to remove
--
-- Reply OK           all is written
--       FENCED       another writer came after this one
--       LOST         the server does not know what it had acknowledged to this writer
--       STALE        this attempt was decided before: it landed, or was declared never to land
--       POSITION n   an entry does not follow position n
--       TYPE key     the key holds something of another type
--       ABSENT       a document to merge into is not there: send it whole
--       NOPERM text  this user may not run a command, which the text names
--       Nothing is written unless the reply is OK.
--
-- A script cannot be rolled back, so everything that could make a command fail is ruled out before
-- the first write: the types of all keys, the order of positions, the presence of documents to
-- merge into, the permission to run each command. The text of documents is JSON because the caller made it so, no deeper nested than the
-- server takes. Refusals by the state of the server (out of memory, read-only replica, failing disk,
-- too few replicas) come before the script starts, or in servers before version 7 at its first
-- write, and never later: a script that has written may go on. A server that dies half way through
-- has persisted nothing: a script reaches its log and its replicas as one transaction at the end.

-- Keeps unpack within the Lua stack; even, for pairs.
local CHUNK = 2000

local state = redis.call('HMGET', KEYS[1], 'token', 'session', 'attempt', 'seq')
local token, known = tonumber(state[1] or '0'), tonumber(state[3] or '0')
if token < tonumber(ARGV[1]) then return 'LOST' end
if token > tonumber(ARGV[1]) or state[2] ~= ARGV[2] then return 'FENCED' end
local attempt = tonumber(ARGV[3])
if attempt <= known then return 'STALE' end
if attempt > known + 1 then return 'LOST' end

local entries, sets, merges = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local deletes, sorted = tonumber(ARGV[8]), tonumber(ARGV[9])
local json = ARGV[4] == 'json'

local seq = state[4] or '0'
for i = 10, 9 + 2 * entries, 2 do
  if tonumber(ARGV[i]) <= tonumber(seq) then return 'POSITION ' .. seq end
  seq = ARGV[i]
end

local function is(key, wanted)
  local kind = redis.call('TYPE', key).ok
  return kind == wanted or kind == 'none', kind == 'none'
end

if not is(KEYS[2], 'stream') then return 'TYPE ' .. KEYS[2] end
for k = #KEYS - sorted + 1, #KEYS do
  if not is(KEYS[k], 'zset') then return 'TYPE ' .. KEYS[k] end
end
if json then
  for k = 3, 2 + sets + merges do
    local fits, absent = is(KEYS[k], 'ReJSON-RL')
    if not fits then return 'TYPE ' .. KEYS[k] end
    if absent and k > 2 + sets then return 'ABSENT' end
  end
end

-- An administrator may have taken a command from this user at any time.
local function denied(command, ...)
  if redis.acl_check_cmd(command, ...) then return false end
  return "NOPERM this user has no permissions to run the '" .. string.lower(command) .. "' command"
end

-- Servers before version 7 do not look at permissions within scripts.
if redis.acl_check_cmd then
  local text = not json and sets > 0
  local found = entries > 0 and denied('XADD', KEYS[2], '1-0', 'entry', '')
    or json and sets + merges > 0 and denied('JSON.SET', KEYS[3], '$', '')
    or text and denied('MSET', KEYS[3], '')
    or deletes > 0 and denied('UNLINK', KEYS[3 + sets + merges])
  if not found and sorted > 0 then
    local key = KEYS[#KEYS]
    found = denied('ZADD', key, '0', '') or denied('ZREM', key, '') or denied('ZCARD', key)
      or denied('HEXISTS', KEYS[1], '') or denied('HINCRBY', KEYS[1], '', '0')
  end
  found = found or denied('HSET', KEYS[1], '', '')
  if found then return found end
end

-- From here on nothing can fail.
local at, key = 10, 3

-- Calls a command with `count` items of a list, `CHUNK` at a time, behind a key if there is one.
-- Answers with the sum of the replies that are numbers.
local function call(command, name, list, first, count)
  local sum = 0
  for from = first, first + count - 1, CHUNK do
    local to = math.min(from + CHUNK, first + count) - 1
    local reply
    if name then
      reply = redis.call(command, name, unpack(list, from, to))
    else
      reply = redis.call(command, unpack(list, from, to))
    end
    if type(reply) == 'number' then sum = sum + reply end
  end
  return sum
end

-- Notes how many members a sorted set has, so that a deleted one is noticed. One that was not counted
-- yet is counted as it is.
local function count(name, change)
  if change == 0 then return end
  local field = 'count:' .. name
  if redis.call('HEXISTS', KEYS[1], field) == 1 then
    redis.call('HINCRBY', KEYS[1], field, change)
  else
    redis.call('HSET', KEYS[1], field, redis.call('ZCARD', name))
  end
end

for _ = 1, entries do
  redis.call('XADD', KEYS[2], ARGV[at] .. '-0', 'entry', ARGV[at + 1])
  at = at + 2
end

if json then
  for _ = 1, sets do
    redis.call('JSON.SET', KEYS[key], '$', ARGV[at])
    key, at = key + 1, at + 1
  end
else
  local documents = {}
  for i = 1, sets do
    documents[2 * i - 1], documents[2 * i] = KEYS[key], ARGV[at]
    key, at = key + 1, at + 1
  end
  call('MSET', nil, documents, 1, 2 * sets)
end

for _ = 1, merges do
  local fields = tonumber(ARGV[at])
  for i = at + 1, at + 2 * fields, 2 do
    redis.call('JSON.SET', KEYS[key], ARGV[i], ARGV[i + 1])
  end
  key, at = key + 1, at + 1 + 2 * fields
end

call('UNLINK', nil, KEYS, key, deletes)
key = key + deletes

for _ = 1, sorted do
  local adds, removes = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  local added = call('ZADD', KEYS[key], ARGV, at + 2, 2 * adds)
  local removed = call('ZREM', KEYS[key], ARGV, at + 2 + 2 * adds, removes)
  count(KEYS[key], added - removed)
  key, at = key + 1, at + 2 + 2 * adds + removes
end

redis.call('HSET', KEYS[1], 'attempt', attempt, 'landed', attempt, 'seq', seq)
return 'OK'
