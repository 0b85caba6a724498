-- Decides requests of any number of subjects in one atomic step. memory-counters.ts takes the same decision for one
-- process; counters-model.spec.ts holds both against one model. Runs on Redis from 6.2 on and on Valkey.
--
-- KEYS: one hash for each subject. It holds everything that is stored of the subject:
--   minute, day, refusals   "startMs count" of a window
--   ban                     "untilMs durationMs" of the last ban
--   forgiven                the last penaltiesResetAtMs that was applied
-- Windows hold their start, because only Redis's clock knows which window runs, and a key name cannot depend on it.
-- A field that another program broke counts as absent.
--
-- ARGV: the time in milliseconds (0: the clock of Redis), then for each subject:
--   wanted         how many requests to decide; 0: one, without counting it
--   perMinute      a limit
--   perDay         a limit; -1: an address, which has no day window and no bans
--   penalties      "banUntilMs banDurationMs penaltiesResetAtMs" of the key's row; empty: none
--   initialCount   "dayStartMs count"; empty: not known yet
--
-- Reply: the time, then for each subject: how many requests were admitted (-1: nothing was decided, the initial count is
-- needed), how many after them were refused (the rest met a ban), minuteStartMs, minuteUsed, dayStartMs, dayUsed,
-- bannedUntilMs, duration of a ban that started here, 1 if the key held something else than a hash, which is deleted.
--
-- redis-counters.ts defines the names in capitals in front of this file.

local call, match, max, min = redis.call, string.match, math.max, math.min

local nowMs = tonumber(ARGV[1])
if nowMs == 0 then
  local time = call('TIME')
  nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The two numbers of a field, and the first one as text; nil for anything else.
local function readPair(value)
  if not value then return nil end
  local first, second = match(value, '^(%d+) (%d+)$')
  return tonumber(first), tonumber(second), first
end

-- False for a ban that starts in the future: it comes from a wrong clock.
local function hasStarted(untilMs, durationMs)
  return untilMs - durationMs <= nowMs + BACKWARD_STEP_MS
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
  local isKey = perDay >= 0
  local rowUntilMs, rowDurationMs, resetMark = 0, 0, 0
  if penalties ~= '' then
    local untilText, durationText, markText = match(penalties, '^(%S+) (%S+) (%S+)$')
    rowUntilMs, rowDurationMs, resetMark = tonumber(untilText), tonumber(durationText), tonumber(markText)
  end

  local stored, wasForeign = redis.pcall('HMGET', key, 'minute', 'day', 'refusals', 'ban', 'forgiven'), 0
  if stored.err then
    if not string.find(stored.err, 'WRONGTYPE', 1, true) then error(stored.err, 0) end
    call('DEL', key)
    stored, wasForeign = {}, 1
  end
  local minuteAt, minuteCount, minuteText = readPair(stored[1])
  local dayAt, dayCount, dayText = readPair(stored[2])
  local refusalsAt, refusalCount = readPair(stored[3])
  local banUntilMs, banDurationMs = readPair(stored[4])
  if banUntilMs and not hasStarted(banUntilMs, banDurationMs) then banUntilMs = nil end
  local storedMark = tonumber(stored[5]) or 0

  -- A new reset mark ends the ban and the refusals. It is stored, so that a replica that does not know it yet cannot
  -- bring the ban back.
  local isReset, mustWrite = resetMark > storedMark, false
  if isReset and (stored[3] or stored[4]) then
    call('HDEL', key, 'refusals', 'ban')
    refusalsAt, banUntilMs, mustWrite = nil, nil, true
  end

  local minuteStartMs, dayStartMs = runningStart(minuteAt, MINUTE_MS), runningStart(dayAt, DAY_MS)
  local minuteUsed, dayUsed = minuteAt == minuteStartMs and minuteCount or 0, 0
  local mustStoreDay = false
  if isKey then
    dayUsed, mustStoreDay = todaysCount(dayAt, dayCount, dayStartMs, initialCount)
    if not dayUsed then return -1, 0, minuteStartMs, minuteUsed, dayStartMs, 0, 0, 0, wasForeign end
  end

  -- The ban of the row counts when it ends later than the stored one, has started and is newer than the last reset.
  local isCurrent = rowUntilMs - rowDurationMs >= resetMark and resetMark >= storedMark
  if rowUntilMs > (banUntilMs or 0) and isCurrent and hasStarted(rowUntilMs, rowDurationMs) then
    banUntilMs, banDurationMs = rowUntilMs, rowDurationMs
  end

  local isBanned = banUntilMs and nowMs < banUntilMs
  local room = isBanned and 0 or perMinute - minuteUsed
  if isKey then room = min(room, perDay - dayUsed) end
  local requests = max(wanted, 1)
  local admitted = max(0, min(requests, room))
  local refused = isBanned and 0 or requests - admitted

  local counted = min(wanted, admitted)
  minuteUsed = minuteUsed + counted
  if isKey then dayUsed = dayUsed + counted end
  if counted > 0 or mustStoreDay then
    mustWrite = true
    -- Lua is slow to write a number as text, so the text of a running window is used again.
    if minuteAt ~= minuteStartMs then minuteText = tostring(minuteStartMs) end
    if dayAt ~= dayStartMs then dayText = tostring(dayStartMs) end
    if isKey then
      call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed, 'day', dayText .. ' ' .. dayUsed)
    else
      call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed)
    end
  end

  local startedBanMs = 0
  if isKey and wanted > 0 and refused > 0 then
    mustWrite = true
    local refusalsStartMs = runningStart(refusalsAt, REFUSAL_WINDOW_MS)
    local before = refusalsAt == refusalsStartMs and refusalCount or 0
    local allowed = max(0, perMinute * REFUSALS_PER_LIMIT - before)
    if refused <= allowed then
      call('HSET', key, 'refusals', refusalsStartMs .. ' ' .. before + refused)
    else
      refused, startedBanMs = allowed, nextBanMs(banUntilMs, banDurationMs)
      banUntilMs = nowMs + startedBanMs
      call('HSET', key, 'ban', banUntilMs .. ' ' .. startedBanMs)
      call('HDEL', key, 'refusals')
    end
  end
  if isReset and mustWrite then call('HSET', key, 'forgiven', resetMark) end

  local isNewWindow = isKey and dayAt ~= dayStartMs or not isKey and minuteAt ~= minuteStartMs
  if mustWrite and isNewWindow or startedBanMs > 0 then
    local endMs = isKey and dayStartMs + DAY_MS + HOUR_MS or minuteStartMs + MINUTE_MS
    if banUntilMs then endMs = max(endMs, banUntilMs + BAN_MEMORY_MS) end
    call('PEXPIRE', key, endMs - nowMs)
  end
  local bannedUntilMs = (isBanned or startedBanMs > 0) and banUntilMs or 0
  return admitted, refused, minuteStartMs, minuteUsed, dayStartMs, dayUsed, bannedUntilMs, startedBanMs, wasForeign
end

local reply, a, r = { nowMs }, 1, 1
for i = 1, #KEYS do
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5], reply[r + 6], reply[r + 7], reply[r + 8],
    reply[r + 9] = decide(KEYS[i], tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3]), ARGV[a + 4],
    ARGV[a + 5])
  a, r = a + 5, r + 9
end
return reply
