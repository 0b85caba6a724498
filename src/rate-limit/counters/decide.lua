-- Decides one request of one subject in one atomic step. memory-counters.ts takes the same decision for one process;
-- model/counters-model.spec.ts holds both against one model. Runs on Redis from 6.2 on and on Valkey.
--
-- KEYS[1]: a hash that holds everything that is stored of the subject:
--   minute, day, refusals   "startMs count" of a window
--   ban                     "untilMs durationMs" of the last ban
--   penaltiesReset          the last penaltiesResetAtMs that was applied
--   allowances              until when allowances are out
-- Windows hold their start, because only Redis's clock knows which window runs, and a key name cannot depend on it.
-- A field that another program broke counts as absent.
--
-- ARGV, all of them numbers:
--   1 nowMs          0: the clock of Redis
--   2 cost           1: counts the request; 0: shows what a request would get
--   3 perMinute      a limit
--   4 perDay         a limit; -1: an address, which has no day window and no bans
--   5-7 penalties    of the key's row: banUntilMs, banDurationMs, penaltiesResetAtMs; 0: none
--   8-9 initial      dayStartMs and count of the day, when they are known; 0: not yet
--   10 want          how many requests the replica asks for as an allowance
--   11-13 returned   what is left of an allowance: minuteEndMs, dayEndMs, count; 0: nothing
--   14 mayWait       1: the caller can wait for the end of allowances
--
-- redis-counters.ts describes the reply, and defines the names in capitals (RULES of decision.ts) in front of this file.

local HOUR_MS = 3600000

local call, match, max, min = redis.call, string.match, math.max, math.min

local key, cost, perMinute, perDay = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local rowUntilMs, rowDurationMs, resetMark = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
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

local function nextBanMs(lastUntilMs, lastDurationMs)
  local isSoon = lastUntilMs and nowMs - lastUntilMs <= BAN_MEMORY_MS
  return min(max(isSoon and lastDurationMs * 2 or 0, FIRST_BAN_MS), LONGEST_BAN_MS)
end

-- What is stored.
local stored = call('HMGET', key, 'minute', 'day', 'refusals', 'ban', 'penaltiesReset', 'allowances')
local minuteAt, minuteCount, minuteText = readPair(stored[1])
local dayAt, dayCount, dayText = readPair(stored[2])
local refusalsAt, refusalCount = readPair(stored[3])
local banUntilMs, banDurationMs = readPair(stored[4])
local storedMark = tonumber(stored[5]) or 0
local allowancesUntilMs = tonumber(stored[6]) or 0
if banUntilMs and not hasStarted(banUntilMs, banDurationMs) then banUntilMs = nil end
-- Further in the future than an allowance lasts: the clock was set back.
if allowancesUntilMs > nowMs + ALLOWANCE_MS then allowancesUntilMs = 0 end

-- What counts in the windows that run now.
local minuteStartMs, dayStartMs = runningStart(minuteAt, MINUTE_MS), runningStart(dayAt, DAY_MS)
local minuteUsed, dayUsed = minuteAt == minuteStartMs and minuteCount or 0, 0
local mustStoreCounts = false
if isKey then
  if dayAt == dayStartMs then
    dayUsed = dayCount
  elseif dayAt == dayStartMs - DAY_MS then
    dayUsed = 0 -- Yesterday's count is still stored, so none of today's is lost.
  elseif tonumber(ARGV[8]) == dayStartMs then
    dayUsed, mustStoreCounts = tonumber(ARGV[9]), true
  else
    return { 'count missing', nowMs, minuteStartMs, minuteUsed, dayStartMs, 0, 0, 0, 0, 0 }
  end
end

-- What is left of an allowance goes back. The minute that it was counted in may have ended, while its day still runs.
local returned = tonumber(ARGV[13])
if returned > 0 then
  mustStoreCounts = true
  if tonumber(ARGV[11]) == minuteStartMs + MINUTE_MS then minuteUsed = max(0, minuteUsed - returned) end
  if tonumber(ARGV[12]) == dayStartMs + DAY_MS then dayUsed = max(0, dayUsed - returned) end
end

-- A new reset mark ends the ban and the refusals. It is stored, so that a replica that does not know it yet cannot
-- bring the ban back.
local isReset, mustWrite = resetMark > storedMark, false
if isReset and (stored[3] or stored[4]) then
  call('HDEL', key, 'refusals', 'ban')
  refusalsAt, banUntilMs, mustWrite = nil, nil, true
end

-- The ban of the row counts when it ends later than the stored one, has started and is newer than the last reset.
local isCurrent = rowUntilMs - rowDurationMs >= resetMark and resetMark >= storedMark
if rowUntilMs > (banUntilMs or 0) and isCurrent and hasStarted(rowUntilMs, rowDurationMs) then
  banUntilMs, banDurationMs = rowUntilMs, rowDurationMs
end

local room = perMinute - minuteUsed
if isKey then room = min(room, perDay - dayUsed) end
local outcome = 'refused'
if banUntilMs and nowMs < banUntilMs then
  outcome = 'banned'
elseif room > 0 then
  outcome = 'admitted'
elseif ARGV[14] == '1' and nowMs < allowancesUntilMs then
  outcome = 'wait'
end

local granted = 0
if outcome == 'admitted' and cost > 0 then
  local want = tonumber(ARGV[10])
  if want > 0 and room - 1 >= ROOM_FACTOR * want then
    granted = want
    allowancesUntilMs = max(allowancesUntilMs, min(nowMs + ALLOWANCE_MS, minuteStartMs + MINUTE_MS))
    call('HSET', key, 'allowances', allowancesUntilMs)
  end
  minuteUsed, dayUsed, mustStoreCounts = minuteUsed + 1 + granted, dayUsed + 1 + granted, true
end
if mustStoreCounts then
  mustWrite = true
  -- Lua is slow to write a number as text, so the text of a running window is used again.
  if minuteAt ~= minuteStartMs then minuteText = tostring(minuteStartMs) end
  if dayAt ~= dayStartMs then dayText = tostring(dayStartMs) end
  call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed, 'day', dayText .. ' ' .. dayUsed)
end

local startedBanMs = 0
if outcome == 'refused' and isKey and cost > 0 then
  mustWrite = true
  local refusalsStartMs = runningStart(refusalsAt, REFUSAL_WINDOW_MS)
  local refusals = (refusalsAt == refusalsStartMs and refusalCount or 0) + 1
  if refusals <= perMinute * REFUSALS_PER_LIMIT then
    call('HSET', key, 'refusals', refusalsStartMs .. ' ' .. refusals)
  else
    outcome, startedBanMs = 'banned', nextBanMs(banUntilMs, banDurationMs)
    banUntilMs = nowMs + startedBanMs
    call('HSET', key, 'ban', banUntilMs .. ' ' .. startedBanMs)
    call('HDEL', key, 'refusals')
  end
end
if isReset and mustWrite then call('HSET', key, 'penaltiesReset', resetMark) end

local isNewWindow = isKey and dayAt ~= dayStartMs or not isKey and minuteAt ~= minuteStartMs
if mustWrite and isNewWindow or startedBanMs > 0 then
  local endMs = isKey and dayStartMs + DAY_MS + HOUR_MS or minuteStartMs + MINUTE_MS
  if banUntilMs then endMs = max(endMs, banUntilMs + BAN_MEMORY_MS) end
  call('PEXPIRE', key, endMs - nowMs)
end
return {
  outcome, nowMs, minuteStartMs, minuteUsed, dayStartMs, dayUsed, outcome == 'banned' and banUntilMs or 0,
  startedBanMs, granted, allowancesUntilMs,
}
