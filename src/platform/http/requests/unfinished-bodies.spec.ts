import { expect, it } from '@jest/globals';
import { UnfinishedBodies } from './unfinished-bodies.js';

const PIECE = 1_024 - 256;

/** Bodies of which each piece counts as 1 KiB, beside a bound of 4 KiB. */
function bodies(count: number) {
  const unfinished = new UnfinishedBodies(4_096);
  const refused: number[] = [];
  const all = Array.from({ length: count }, (_, at) => ({ refuse: () => void refused.push(at) }));
  return { unfinished, refused, all };
}

it('refuses the oldest unfinished bodies, so that the others hold no more than the bound', () => {
  const { unfinished, refused, all } = bodies(6);
  for (const body of all) unfinished.hold(body, PIECE);
  expect(refused).toEqual([0, 1]);
  // The third began before the last, however much of it comes later.
  unfinished.hold(all[2]!, PIECE);
  expect(refused).toEqual([0, 1, 2]);
});

it('has room again for what is complete', () => {
  const { unfinished, refused, all } = bodies(100);
  for (const body of all) {
    for (let piece = 0; piece < 4; piece += 1) unfinished.hold(body, PIECE);
    unfinished.release(body);
  }
  expect(refused).toEqual([]);
});

it('counts what Node keeps for a piece, so that no body is many of a byte', () => {
  const { unfinished, refused, all } = bodies(1);
  for (let piece = 0; piece < 17; piece += 1) unfinished.hold(all[0]!, 1);
  expect(refused).toEqual([0]);
});

it('forgets what is complete wherever it stands in the order', () => {
  const { unfinished, refused, all } = bodies(6);
  for (const body of all.slice(0, 4)) unfinished.hold(body, PIECE);
  for (const at of [1, 0, 3]) unfinished.release(all[at]!);
  // Again, and of one that was never held.
  for (const at of [1, 5]) unfinished.release(all[at]!);
  unfinished.hold(all[4]!, PIECE);
  for (let piece = 0; piece < 3; piece += 1) unfinished.hold(all[1]!, PIECE);
  expect(refused).toEqual([2]);
  unfinished.hold(all[1]!, PIECE);
  expect(refused).toEqual([2, 4]);
});
