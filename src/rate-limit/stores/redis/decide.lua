-- Decides requests of any number of subjects in one atomic step. memory-counters.ts takes the same decision for one
-- process; counters-model.spec.ts holds both against one model. Runs on Redis from 6.2 on and on Valkey.
--
-- KEYS: one hash for each subject. It holds everything that is stored of the subject:
--   minute, day, refusals   "startMs count" of a window
--   ban                     "untilMs durationMs" of the last ban
--   forgiven                the last penaltiesResetAtMs that was applied
-- Windows hold their start, because only Redis's clock knows which window runs, and a key name cannot depend on it.
--
-- ARGV: the time in milliseconds (0: the clock of Redis), then for each subject:
--   wanted         how many requests to decide; 0 only reads
--   perMinute      a limit
--   perDay         a limit; -1: an address, which has no day window and no bans
--   penalties      "banUntilMs banDurationMs penaltiesResetAtMs" of the key's row, or NO_PENALTIES
--   initialCount   "dayStartMs count"; empty: not known yet
--
-- Reply: the time, then for each subject: isCountMissing (1: nothing was decided, the initial count is needed), admitted,
-- refused, minuteStartMs, minuteUsed, dayStartMs, dayUsed, bannedUntilMs, duration of a ban that started here, names of
-- broken fields. A broken field is deleted, and what it held starts again.
--
-- decide-script.ts defines the names in capitals in front of this file.

local call, match, max, min = redis.call, string.match, math.max, math.min

local nowMs = tonumber(ARGV[1])
local extraLifeMs = 0
if nowMs == 0 then
  local time = call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
else
  -- Under the clock of a test a key must not expire in real time.
  extraLifeMs = HOUR_MS
end

-- The names of the fields of the current subject that were broken.
local broken

local function drop(key, field)
  call('HDEL', key, field)
  broken = broken == '' and field or broken .. ' ' .. field
end

-- The two numbers of a field, and the first one as text; nil for anything else.
local function readPair(value)
  local first, second = match(value, '^(%d+) (%d+)$')
  return tonumber(first), tonumber(second), first
end

local function readWindow(key, field, value, lengthMs)
  if not value then return nil end
  local startMs, count, startText = readPair(value)
  if startMs and startMs % lengthMs == 0 and count <= MAX_COUNT then return startMs, count, startText end
  drop(key, field)
end

local function readBan(key, value)
  if not value then return nil end
  local untilMs, durationMs = readPair(value)
  if not untilMs or durationMs < FIRST_BAN_MS or durationMs > LONGEST_BAN_MS then return drop(key, 'ban') end
  -- A ban that starts in the future comes from a wrong clock.
  if untilMs - durationMs > nowMs + BACKWARD_STEP_MS then return nil end
  return untilMs, durationMs
end

local function readResetMark(key, value)
  if not value then return 0 end
  local mark = tonumber(match(value, '^%d+$'))
  if mark and mark > 0 and #value <= 15 then return mark end
  drop(key, 'forgiven')
  return 0
end

-- The start of the window that counts now: the stored window while it runs, else the one that the time falls in.
local function runningStart(storedMs, lengthMs)
  if storedMs and nowMs < storedMs + lengthMs and nowMs >= storedMs - BACKWARD_STEP_MS then return storedMs end
  return nowMs - nowMs % lengthMs
end

-- Today's count so far, or nil when only the caller can find it out; whether it was given and has to be stored.
local function todaysCount(storedMs, count, dayStartMs, initialCount)
  if storedMs == dayStartMs then return count, false end
  -- Yesterday's count is still stored, so today's starts at zero.
  local sawDayBegin = storedMs == dayStartMs - DAY_MS and nowMs >= dayStartMs and nowMs - dayStartMs < HOUR_MS
  if sawDayBegin then return 0, false end
  local initialDayMs, initial = readPair(initialCount)
  if initialDayMs == dayStartMs then return initial, true end
  return nil
end

local function nextBanMs(lastUntilMs, lastDurationMs)
  local isSoon = lastUntilMs and nowMs - lastUntilMs <= BAN_MEMORY_MS
  return min(max(isSoon and lastDurationMs * 2 or 0, FIRST_BAN_MS), LONGEST_BAN_MS)
end

local function decide(key, wanted, perMinute, perDay, penalties, initialCount)
  broken = ''
  local isKey = perDay >= 0
  local rowUntilMs, rowDurationMs, resetMark = 0, 0, 0
  if penalties ~= NO_PENALTIES then
    local untilText, durationText, markText = match(penalties, '^(%d+) (%d+) (%d+)$')
    rowUntilMs, rowDurationMs, resetMark = tonumber(untilText), tonumber(durationText), tonumber(markText)
  end

  local stored = redis.pcall('HMGET', key, 'minute', 'day', 'refusals', 'ban', 'forgiven')
  if stored.err then
    if not string.find(stored.err, 'WRONGTYPE', 1, true) then error(stored.err, 0) end
    call('DEL', key)
    stored, broken = {}, 'type'
  end
  local minuteAt, minuteCount, minuteText = readWindow(key, 'minute', stored[1], MINUTE_MS)
  local dayAt, dayCount, dayText = readWindow(key, 'day', stored[2], DAY_MS)
  local refusalsAt, refusalCount = readWindow(key, 'refusals', stored[3], REFUSAL_WINDOW_MS)
  local banUntilMs, banDurationMs = readBan(key, stored[4])
  local storedMark = readResetMark(key, stored[5])

  -- A new reset mark ends the ban and the refusals. It is stored, so that a replica that does not know it yet cannot
  -- bring the ban back.
  local isReset, mustWrite = resetMark > storedMark, false
  if isReset and (stored[3] or stored[4]) then
    call('HDEL', key, 'refusals', 'ban')
    refusalsAt, banUntilMs, banDurationMs, mustWrite = nil, nil, nil, true
  end

  local minuteStartMs, dayStartMs = runningStart(minuteAt, MINUTE_MS), runningStart(dayAt, DAY_MS)
  local minuteUsed, dayUsed = minuteAt == minuteStartMs and minuteCount or 0, 0
  local mustStoreDay = false
  if isKey then
    dayUsed, mustStoreDay = todaysCount(dayAt, dayCount, dayStartMs, initialCount)
    if not dayUsed then return 1, 0, 0, minuteStartMs, minuteUsed, dayStartMs, 0, 0, 0, broken end
  end

  -- The ban of the row counts when it ends later than the stored one, has started and is newer than the last reset.
  if rowUntilMs > (banUntilMs or 0) then
    local rowStartMs = rowUntilMs - rowDurationMs
    local isCurrent = rowStartMs >= resetMark and resetMark >= storedMark
    if isCurrent and rowStartMs <= nowMs + BACKWARD_STEP_MS then
      banUntilMs, banDurationMs = rowUntilMs, rowDurationMs
    end
  end

  local isBanned = banUntilMs ~= nil and nowMs < banUntilMs
  local room = isBanned and 0 or perMinute - minuteUsed
  if isKey then room = min(room, perDay - dayUsed) end
  local admitted = max(0, min(wanted, room))
  local refused = isBanned and 0 or wanted - admitted
  minuteUsed = minuteUsed + admitted
  if isKey then dayUsed = dayUsed + admitted end

  -- Lua is slow to write a number as text, so the text of a running window is used again.
  if minuteAt ~= minuteStartMs then minuteText = tostring(minuteStartMs) end
  if dayAt ~= dayStartMs then dayText = tostring(dayStartMs) end
  if admitted > 0 or mustStoreDay then
    mustWrite = true
    if isKey then
      call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed, 'day', dayText .. ' ' .. dayUsed)
    else
      call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed)
    end
  end

  local startedBanDurationMs = 0
  if isKey and refused > 0 then
    mustWrite = true
    local refusalsStartMs = runningStart(refusalsAt, REFUSAL_WINDOW_MS)
    local before = refusalsAt == refusalsStartMs and refusalCount or 0
    local allowed = max(0, perMinute * REFUSALS_PER_LIMIT - before)
    if refused <= allowed then
      call('HSET', key, 'refusals', refusalsStartMs .. ' ' .. before + refused)
    else
      refused, startedBanDurationMs = allowed, nextBanMs(banUntilMs, banDurationMs)
      banUntilMs = nowMs + startedBanDurationMs
      call('HSET', key, 'ban', banUntilMs .. ' ' .. startedBanDurationMs)
      call('HDEL', key, 'refusals')
    end
  end
  if isReset and mustWrite then call('HSET', key, 'forgiven', resetMark) end

  local isNewWindow = isKey and dayAt ~= dayStartMs or not isKey and minuteAt ~= minuteStartMs
  if mustWrite and isNewWindow or startedBanDurationMs > 0 then
    local endMs = isKey and dayStartMs + DAY_MS + HOUR_MS or minuteStartMs + MINUTE_MS
    if banUntilMs then endMs = max(endMs, banUntilMs + BAN_MEMORY_MS) end
    call('PEXPIRE', key, endMs - nowMs + extraLifeMs)
  end
  local bannedUntilMs = (isBanned or startedBanDurationMs > 0) and banUntilMs or 0
  return 0, admitted, refused, minuteStartMs, minuteUsed, dayStartMs, dayUsed, bannedUntilMs, startedBanDurationMs,
    broken
end

local reply, a, r = { nowMs }, 1, 1
for i = 1, #KEYS do
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5], reply[r + 6], reply[r + 7], reply[r + 8],
    reply[r + 9], reply[r + 10] = decide(KEYS[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]),
    tonumber(ARGV[a + 3]), ARGV[a + 4], ARGV[a + 5])
  a, r = a + 5, r + 10
end
return reply
