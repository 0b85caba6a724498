import { createHash } from 'node:crypto';
import {
  BACKWARD_STEP_MS,
  BAN_MEMORY_MS,
  DAY_MS,
  FIRST_BAN_MS,
  LONGEST_BAN_MS,
  MINUTE_MS,
  REFUSALS_PER_LIMIT,
  REFUSAL_WINDOW_MS,
} from './limit-windows.js';

/** In place of today's count: say so when you need it. */
export const SEED_ASK_ME = 'ask';
/** Reading it failed: begin at zero, and remember that. */
export const SEED_FAILED = 'failed';
/** Nobody keeps counts: begin at zero. */
export const SEED_OFF = 'off';
/** In place of a key's past: it cannot be banned; it has none. */
export const PAST_NEVER_BANNED = 'never';
export const PAST_CLEAN = 'clean';

/** How many arguments and how many answers belong to one subject. */
const ARGUMENTS_PER_SUBJECT = 5;
export const ANSWERS_PER_SUBJECT = 11;

/**
 * The decision of memory-counters.ts, atomic for any number of replicas. One hash per subject holds all of its state;
 * windows are kept as "start count", so that no key has to
 * name a time which only Redis's clock knows; a ban as "until lasted".
 *
 * ARGV: the time (0: Redis's own), then per key: wanted, perMinute, perDay (-1: none), its past ("banUntil banLasted
 * forgivenAt" as on the row, or a word above), the seed ("dayStart used", or a word above).
 * Reply: the time, then per key: isAbsent (nothing decided: come again with a seed), admitted, refused, minuteStart,
 * minuteUsed, dayStart, dayUsed, bannedUntil, lasted of a ban that began here, isUnseeded, fields found broken.
 *
 * Any Redis from 6.2 on and Valkey; a value that does not belong is dropped and named, and what it held starts anew.
 */
export const DECIDE_SCRIPT = `
local MINUTE, DAY, REFUSAL = ${MINUTE_MS}, ${DAY_MS}, ${REFUSAL_WINDOW_MS}
local BACK, HOUR, MAX_COUNT = ${BACKWARD_STEP_MS}, 3600000, 2147483647
local call, match, max, min = redis.call, string.match, math.max, math.min

local now = tonumber(ARGV[1])
-- With a turned clock keys must not run out in real time.
local slack = now > 0 and HOUR or 0
if now == 0 then
  local time = call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function running(kept, window)
  if kept and now < kept + window and now >= kept - BACK then return kept end
  return now - now % window
end

-- Two numbers kept in one field; nil for whatever else is there.
local function pair(value)
  local first, second = match(value, '^(%d+) (%d+)$')
  return tonumber(first), tonumber(second), first
end

local function drop(key, field, broken)
  call('HDEL', key, field)
  return broken == '' and field or broken .. ' ' .. field
end

local function keptWindow(key, field, value, window, broken)
  if not value then return nil, nil, broken end
  local at, count, text = pair(value)
  if at and at % window == 0 and count <= MAX_COUNT * ${REFUSALS_PER_LIMIT} then return at, count, broken, text end
  return nil, nil, drop(key, field, broken)
end

local function keptBan(key, value, broken)
  if not value then return nil, nil, broken end
  local untilMs, lastedMs = pair(value)
  local isSane = untilMs and lastedMs >= ${FIRST_BAN_MS} and lastedMs <= ${LONGEST_BAN_MS}
  if not isSane then return nil, nil, drop(key, 'ban', broken) end
  -- A clock that was wrong gave it.
  if untilMs - lastedMs > now + BACK then return nil, nil, broken end
  return untilMs, lastedMs, broken
end

-- Today's count so far; nil when only the caller can tell. Then: whether it is new here, whether it is a guess.
local function dayCount(at, count, wasGuess, dayStart, seed)
  local seedDay, used = pair(seed)
  local isForToday = seedDay == dayStart
  if at == dayStart then
    if not isForToday then return count, false, wasGuess end
    return max(count, used), wasGuess or used > count, false
  end
  -- Yesterday's count is still here, so today's began at zero.
  if at == dayStart - DAY and now - dayStart < HOUR and now >= dayStart then return 0, false, false end
  if isForToday then return used, true, false end
  if seed == '${SEED_FAILED}' then return 0, true, true end
  if seed == '${SEED_OFF}' then return 0, false, false end
  return nil
end

local function nextBanMs(untilMs, lastedMs)
  local doubled = untilMs and now - untilMs <= ${BAN_MEMORY_MS} and lastedMs * 2 or 0
  return min(max(doubled, ${FIRST_BAN_MS}), ${LONGEST_BAN_MS})
end

local function decide(key, wanted, perMinute, perDay, past, seed)
  local broken, canBeBanned = '', past ~= '${PAST_NEVER_BANNED}'
  local rowUntil, rowLasted, forgiven = 0, 0, 0
  if canBeBanned and past ~= '${PAST_CLEAN}' then
    rowUntil, rowLasted, forgiven = match(past, '^(%d+) (%d+) (%d+)$')
    rowUntil, rowLasted, forgiven = tonumber(rowUntil), tonumber(rowLasted), tonumber(forgiven)
  end
  local raw = redis.pcall('HMGET', key, 'minute', 'day', 'refusals', 'ban', 'forgiven', 'unseeded')
  if raw.err then
    if not string.find(raw.err, 'WRONGTYPE', 1, true) then error(raw.err, 0) end
    call('DEL', key)
    raw, broken = {}, 'type'
  end
  local minuteAt, minuteCount, minuteText, dayAt, dayUsed, dayText, refusalAt, refusals, banUntil, banLasted
  minuteAt, minuteCount, broken, minuteText = keptWindow(key, 'minute', raw[1], MINUTE, broken)
  dayAt, dayUsed, broken, dayText = keptWindow(key, 'day', raw[2], DAY, broken)
  refusalAt, refusals, broken = keptWindow(key, 'refusals', raw[3], REFUSAL, broken)
  banUntil, banLasted, broken = keptBan(key, raw[4], broken)
  local keptForgiven = raw[5] and tonumber(match(raw[5], '^%d+$')) or 0
  if raw[5] and (keptForgiven == 0 or #raw[5] > 15) then
    keptForgiven, broken = 0, drop(key, 'forgiven', broken)
  end
  local isForgiving, isWritten = forgiven > keptForgiven, false
  if isForgiving and (raw[3] or raw[4]) then
    call('HDEL', key, 'refusals', 'ban')
    refusalAt, banUntil, banLasted, isWritten = nil, nil, nil, true
  end

  local minuteStart, dayStart = running(minuteAt, MINUTE), running(dayAt, DAY)
  local minuteUsed = minuteAt == minuteStart and minuteCount or 0
  local isNewDay, isGuess, wasGuess = false, false, raw[6] == '1'
  if perDay >= 0 then
    dayUsed, isNewDay, isGuess = dayCount(dayAt, dayUsed, wasGuess, dayStart, seed)
    if not dayUsed then return 1, 0, 0, minuteStart, minuteUsed, dayStart, 0, 0, 0, 0, broken end
  else dayUsed = 0 end

  if not canBeBanned then banUntil = nil
  elseif rowUntil > (banUntil or 0) and rowUntil - rowLasted <= now + BACK
    -- Before forgiveness, or told by a replica that has not heard of it yet.
    and rowUntil - rowLasted >= forgiven and forgiven >= keptForgiven then
    banUntil, banLasted = rowUntil, rowLasted
  end
  local isBanned = banUntil ~= nil and now < banUntil
  local room = isBanned and 0 or perMinute - minuteUsed
  if perDay >= 0 then room = min(room, perDay - dayUsed) end
  local admitted = max(0, min(wanted, room))
  local refused = isBanned and 0 or wanted - admitted
  minuteUsed, dayUsed = minuteUsed + admitted, dayUsed + (perDay >= 0 and admitted or 0)

  -- Writing a number as text is dear in Lua; that of a running window is here already.
  if minuteAt ~= minuteStart then minuteText = tostring(minuteStart) end
  if dayAt ~= dayStart then dayText = tostring(dayStart) end
  if perDay < 0 then
    if admitted > 0 then call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed) end
  elseif admitted > 0 or isNewDay then
    call('HSET', key, 'minute', minuteText .. ' ' .. minuteUsed, 'day', dayText .. ' ' .. dayUsed)
    if isGuess ~= wasGuess then call('HSET', key, 'unseeded', isGuess and 1 or 0) end
  end

  isWritten = isWritten or admitted > 0 or isNewDay

  local startedMs = 0
  if canBeBanned and refused > 0 then
    isWritten = true
    local refusalStart = running(refusalAt, REFUSAL)
    local before = refusalAt == refusalStart and refusals or 0
    local allowed = max(0, perMinute * ${REFUSALS_PER_LIMIT} - before)
    if refused <= allowed then
      call('HSET', key, 'refusals', refusalStart .. ' ' .. before + refused)
    else
      refused, startedMs = allowed, nextBanMs(banUntil, banLasted)
      banUntil = now + startedMs
      call('HSET', key, 'ban', banUntil .. ' ' .. startedMs)
      call('HDEL', key, 'refusals')
    end
  end

  -- Kept, so that a replica that has not heard of it brings no forgiven ban back.
  if isForgiving and isWritten then call('HSET', key, 'forgiven', forgiven) end

  local hasTurned = perDay >= 0 and dayAt ~= dayStart or perDay < 0 and minuteAt ~= minuteStart
  if isWritten and hasTurned or startedMs > 0 then
    local endMs = perDay >= 0 and dayStart + DAY + HOUR or minuteStart + MINUTE
    if banUntil then endMs = max(endMs, banUntil + ${BAN_MEMORY_MS}) end
    call('PEXPIRE', key, endMs - now + slack)
  end
  local bannedUntil = (isBanned or startedMs > 0) and banUntil or 0
  return 0, admitted, refused, minuteStart, minuteUsed, dayStart, dayUsed, bannedUntil, startedMs, isGuess and 1 or 0, broken
end

local reply, a, r = { now }, 1, 1
for i = 1, #KEYS do
  reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4], reply[r + 5], reply[r + 6], reply[r + 7], reply[r + 8],
    reply[r + 9], reply[r + 10], reply[r + 11] = decide(KEYS[i], tonumber(ARGV[a + 1]),
    tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3]), ARGV[a + 4], ARGV[a + 5])
  a, r = a + ${ARGUMENTS_PER_SUBJECT}, r + ${ANSWERS_PER_SUBJECT}
end
return reply
`;

/** The name by which Redis knows the script once it has seen it. */
export const DECIDE_SCRIPT_SHA = createHash('sha1').update(DECIDE_SCRIPT).digest('hex');
