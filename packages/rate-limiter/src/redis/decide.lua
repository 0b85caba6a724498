-- Decides one request of one subject in one atomic step. memory-counters.ts takes the same decision for one process;
-- test/model holds both against one model. Runs on Redis from 6.2 on and on Valkey.
--
-- KEYS[1]: a hash that holds everything that is stored of the subject:
--   minute, day, refusals   "startMs count" of a window
--   ban                     "untilMs durationMs" of the last ban
--   penaltiesReset          the last penaltiesResetAtMs that was applied
--   allowances              until when allowances are out
--   later                   "minuteStartMs count dayStartMs count": the latest windows that the clock has stepped back from
-- Windows hold their start, because only Redis's clock knows which window runs, and a key name cannot depend on it.
-- A field that another program broke counts as absent.
--
-- ARGV:
--   1 nowMs          0: the clock of Redis
--   2 cost           1: counts the request; 0: shows what a request would get
--   3 perMinute      a limit
--   4 perDay         a limit; -1: an address, which has no day window and no bans
--   5 penalties      "banUntilMs banDurationMs penaltiesResetAtMs" of the key's row; empty: none
--   6 initialCount   "dayStartMs count"; empty: not known yet
--   7 want           how many requests the replica asks for as an allowance
--   8 returned       "minuteStartMs dayStartMs count": what is left of an allowance; empty: nothing
--   9 mayWait        1: the caller can wait for the end of allowances
--
-- Reply: nowMs, outcome, minuteStartMs, minuteUsed, dayStartMs, dayUsed, bannedUntilMs, duration of a ban that started
-- here, granted, allowancesUntilMs, 1 if the key held something else than a hash, which is deleted.
--
-- redis-counters.ts defines the names in capitals in front of this file.

local call, match, max, min = redis.call, string.match, math.max, math.min

local key, cost, perMinute, perDay = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local isKey = perDay >= 0
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

-- The latest windows that the clock has stepped back from, and their counts.
local laterMinuteMs, laterMinuteCount, laterDayMs, laterDayCount = -1, 0, -1, 0

-- Today's count so far, or nil when only the caller can find it out; whether it has to be stored.
local function todaysCount(storedMs, count, dayStartMs)
  if storedMs == dayStartMs then return count, false end
  if laterDayMs == dayStartMs then return laterDayCount, true end
  -- Yesterday's count is still stored, so today's starts at zero.
  local hasSeenBegin = storedMs == dayStartMs - DAY_MS and laterDayMs < dayStartMs and nowMs - dayStartMs < HOUR_MS
  if hasSeenBegin then return 0, false end
  local initialDayMs, initial = readPair(ARGV[6])
  if initialDayMs == dayStartMs then return initial, true end
  return nil
end

local function nextBanMs(lastUntilMs, lastDurationMs)
  local isSoon = lastUntilMs and nowMs - lastUntilMs <= BAN_MEMORY_MS
  return min(max(isSoon and lastDurationMs * 2 or 0, FIRST_BAN_MS), LONGEST_BAN_MS)
end

local rowUntilMs, rowDurationMs, resetMark = 0, 0, 0
if ARGV[5] ~= '' then
  local untilText, durationText, markText = match(ARGV[5], '^(%S+) (%S+) (%S+)$')
  rowUntilMs, rowDurationMs, resetMark = tonumber(untilText), tonumber(durationText), tonumber(markText)
end

local stored, wasForeign =
  redis.pcall('HMGET', key, 'minute', 'day', 'refusals', 'ban', 'penaltiesReset', 'allowances', 'later'), 0
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
local allowancesUntilMs = tonumber(stored[6]) or 0
-- Further in the future than an allowance lasts: the clock was set back.
if allowancesUntilMs > nowMs + ALLOWANCE_MS then allowancesUntilMs = 0 end

-- A new reset mark ends the ban and the refusals. It is stored, so that a replica that does not know it yet cannot
-- bring the ban back.
local isReset, mustWrite = resetMark > storedMark, false
if isReset and (stored[3] or stored[4]) then
  call('HDEL', key, 'refusals', 'ban')
  refusalsAt, banUntilMs, mustWrite = nil, nil, true
end

local minuteStartMs, dayStartMs = runningStart(minuteAt, MINUTE_MS), runningStart(dayAt, DAY_MS)
local mustStoreCounts, mustStoreLater = false, false
if stored[7] then
  local minuteMs, minutes, dayMs, days = match(stored[7], '^(%-?%d+) (%d+) (%-?%d+) (%d+)$')
  if days then
    laterMinuteMs, laterMinuteCount = tonumber(minuteMs), tonumber(minutes)
    laterDayMs, laterDayCount = tonumber(dayMs), tonumber(days)
  end
end
local function isLater(storedMs, runningMs, laterMs)
  return storedMs and runningMs < storedMs and storedMs >= laterMs and storedMs <= nowMs + LATER_WINDOW_MS
end
if isLater(minuteAt, minuteStartMs, laterMinuteMs) then
  laterMinuteMs, laterMinuteCount, mustStoreLater = minuteAt, minuteCount, true
end
if isKey and isLater(dayAt, dayStartMs, laterDayMs) then
  laterDayMs, laterDayCount, mustStoreLater = dayAt, dayCount, true
end

local minuteUsed, dayUsed = 0, 0
if minuteAt == minuteStartMs then
  minuteUsed = minuteCount
elseif laterMinuteMs == minuteStartMs then
  minuteUsed, mustStoreCounts = laterMinuteCount, true
end
if isKey then
  local used, mustStore = todaysCount(dayAt, dayCount, dayStartMs)
  if not used then
    return { nowMs, COUNT_MISSING, minuteStartMs, minuteUsed, dayStartMs, 0, 0, 0, 0, 0, wasForeign }
  end
  dayUsed, mustStoreCounts = used, mustStoreCounts or mustStore
end

-- The minute that an allowance was counted in may have ended, while its day still runs.
local returnedMinuteMs, returnedDayMs, returned = match(ARGV[8], '^(%d+) (%d+) (%d+)$')
if returned then
  mustStoreCounts = true
  if tonumber(returnedMinuteMs) == minuteStartMs then minuteUsed = max(0, minuteUsed - returned) end
  if tonumber(returnedDayMs) == dayStartMs then dayUsed = max(0, dayUsed - returned) end
end

-- The ban of the row counts when it ends later than the stored one, has started and is newer than the last reset.
local isCurrent = rowUntilMs - rowDurationMs >= resetMark and resetMark >= storedMark
if rowUntilMs > (banUntilMs or 0) and isCurrent and hasStarted(rowUntilMs, rowDurationMs) then
  banUntilMs, banDurationMs = rowUntilMs, rowDurationMs
end

local isBanned = banUntilMs and nowMs < banUntilMs
local room = perMinute - minuteUsed
if isKey then room = min(room, perDay - dayUsed) end
local outcome = REFUSED
if isBanned then
  outcome = BANNED
elseif room > 0 then
  outcome = ADMITTED
elseif ARGV[9] == '1' and nowMs < allowancesUntilMs then
  outcome = WAIT
end

local granted = 0
if outcome == ADMITTED and cost > 0 then
  local want = tonumber(ARGV[7])
  if want > 0 and room - 1 >= ROOM_FACTOR * want then
    granted = want
    allowancesUntilMs = max(allowancesUntilMs, min(nowMs + ALLOWANCE_MS, minuteStartMs + MINUTE_MS))
    call('HSET', key, 'allowances', allowancesUntilMs)
  end
  minuteUsed, dayUsed, mustStoreCounts = minuteUsed + 1 + granted, dayUsed + 1 + granted, true
end
local isNewWindow = minuteAt ~= minuteStartMs or isKey and dayAt ~= dayStartMs
-- A refusal stores new windows too, so that a clock that steps back finds which one was the latest.
if mustStoreCounts or cost > 0 and isNewWindow then
  mustWrite = true
  -- Lua is slow to write a number as text, so the text of a running window is used again.
  if minuteAt ~= minuteStartMs then minuteText = tostring(minuteStartMs) end
  if dayAt ~= dayStartMs then dayText = tostring(dayStartMs) end
  if mustStoreLater then
    local later = { laterMinuteMs, laterMinuteCount, laterDayMs, laterDayCount }
    call('HSET', key, 'later', table.concat(later, ' '))
  end
  if isKey then
    call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed, 'day', dayText .. ' ' .. dayUsed)
  else
    call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed)
  end
end

local startedBanMs = 0
if outcome == REFUSED and isKey and cost > 0 then
  mustWrite = true
  local refusalsStartMs = runningStart(refusalsAt, REFUSAL_WINDOW_MS)
  local refusals = (refusalsAt == refusalsStartMs and refusalCount or 0) + 1
  if refusals <= perMinute * REFUSALS_PER_LIMIT then
    call('HSET', key, 'refusals', refusalsStartMs .. ' ' .. refusals)
  else
    outcome, startedBanMs = BANNED, nextBanMs(banUntilMs, banDurationMs)
    banUntilMs = nowMs + startedBanMs
    call('HSET', key, 'ban', banUntilMs .. ' ' .. startedBanMs)
    call('HDEL', key, 'refusals')
  end
end
if isReset and mustWrite then call('HSET', key, 'penaltiesReset', resetMark) end

local isNewLife = isKey and dayAt ~= dayStartMs or not isKey and minuteAt ~= minuteStartMs
if mustWrite and isNewLife or startedBanMs > 0 then
  local endMs = isKey and dayStartMs + DAY_MS + HOUR_MS or minuteStartMs + MINUTE_MS
  if laterMinuteMs > nowMs then endMs = max(endMs, laterMinuteMs + MINUTE_MS) end
  if laterDayMs > nowMs then endMs = max(endMs, laterDayMs + DAY_MS + HOUR_MS) end
  if banUntilMs then endMs = max(endMs, banUntilMs + BAN_MEMORY_MS) end
  call('PEXPIRE', key, endMs - nowMs)
end
local bannedUntilMs = outcome == BANNED and banUntilMs or 0
return {
  nowMs, outcome, minuteStartMs, minuteUsed, dayStartMs, dayUsed, bannedUntilMs, startedBanMs, granted,
  allowancesUntilMs, wasForeign,
}
