/*
 * What a rotation does to the secrets that a key already has. Every older secret keeps its own end, so that a rotation that is repeated after
 * a lost answer stops nothing before the overlap ends.
 */

/** How many secrets of a key work at the same time. */
export const MAX_LIVE_SECRETS = 5;
/** How many secrets of a key are kept, with those that ended: a leaked secret is found as long as it is kept. */
export const MAX_KEPT_SECRETS = 100;

/** A secret as the rules see it. `endsAt` is null for the newest of its key. */
export interface Secret {
  number: bigint;
  endsAt: Date | null;
}

export const hasEnded = ({ endsAt }: Pick<Secret, 'endsAt'>, nowMs: number) =>
  endsAt !== null && endsAt.getTime() <= nowMs;

/**
 * The secrets that another one makes end sooner, with their new ends, and those that are removed.
 *
 * @param secrets those of the key, newest first
 * @param overlapMs how long the newest of them still works; 0 ends every one of them
 */
export function rotationOf(
  secrets: readonly Secret[],
  nowMs: number,
  overlapMs: number,
): { ending: { number: bigint; endsAt: Date }[]; removed: bigint[] } {
  const live = secrets.filter((secret) => !hasEnded(secret, nowMs));
  const ending = live.flatMap(({ number, endsAt }, index) => {
    const isOneTooMany = index >= MAX_LIVE_SECRETS - 1;
    if (overlapMs === 0 || isOneTooMany) return [{ number, endsAt: new Date(nowMs) }];
    return endsAt === null ? [{ number, endsAt: new Date(nowMs + overlapMs) }] : [];
  });
  return { ending, removed: secrets.slice(MAX_KEPT_SECRETS - 1).map(({ number }) => number) };
}
