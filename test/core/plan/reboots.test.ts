import { expect, it } from 'vitest';
import { suspectOf } from '../../../src/core/plan/reboots.ts';

const MINUTE = 60_000;
const NOW = 1000 * MINUTE;
const target = { kind: 'module', name: 'lidar' } as const;

/** How often the machine went down after a release that changed and starts so many minutes ago; undefined if it is not suspected. */
function countAfter(changed: number, starts: readonly number[]): number | undefined {
  const lastChange = { target, version: '1.1.0', at: NOW - changed * MINUTE };
  const all = { lastChange, starts: starts.map((ago) => NOW - ago * MINUTE) };
  return suspectOf(all, { at: NOW, boot: undefined })?.count;
}

it.each<[string, number, number[], number | undefined]>([
  ['one unclean start', 5, [], undefined],
  ['two', 5, [3], undefined],
  ['three', 5, [4, 2], 3],
  ['five', 9, [8, 6, 4, 2], 5],
  ['three, and starts before the change', 5, [20, 9, 6, 4, 2], 3],
  ['only starts before the change', 1, [9, 7, 5, 3], undefined],
  ['a pulled plug, long after the change', 600, [8, 6, 4, 2], undefined],
  ['once up for ten minutes', 30, [29, 28, 18, 8, 2], undefined],
  ['three, each nearly ten minutes up', 29, [20, 10.1, 0.2], 4],
  ['a clock that was set back', 5, [-3, 2], undefined],
])('[D85] %s: changed %d min ago, starts %j min ago: %s', (_, changed, starts, expected) => {
  expect(countAfter(changed, starts)).toBe(expected);
});

it('[D85] a machine on which nothing is deployed has no suspect', () => {
  expect(
    suspectOf({ starts: [NOW - 3, NOW - 2, NOW - 1] }, { at: NOW, boot: undefined }),
  ).toBeUndefined();
});

it.each<[string, readonly string[], string, { count: number; isBlamed: boolean }]>([
  ['the machine went down each time', ['a', 'b', 'c'], 'd', { count: 3, isBlamed: true }],
  ['only the agent was killed', ['a', 'a', 'a'], 'a', { count: 0, isBlamed: false }],
  ['the machine went down once', ['a', 'a', 'a'], 'b', { count: 1, isBlamed: false }],
])('[D85] of three unclean starts, %s: boots %j and %s', (_, boots, boot, expected) => {
  const lastChange = { target, version: '1.1.0', at: NOW - 5 * MINUTE };
  const starts = [6, 4, 2].map((ago) => NOW - ago * MINUTE);
  const { count, isBlamed } = suspectOf({ lastChange, starts, boots }, { at: NOW, boot }) ?? {};
  expect({ count, isBlamed }).toEqual(expected);
});
