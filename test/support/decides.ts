import { expect, it } from 'vitest';
import type { Eligibility, ReleaseRecord } from '../../src/core/index.ts';
import { ask, chosen, refusals, type Published } from './ask.ts';

/** One case of a row of the decision table. */
interface Case {
  readonly case: string;
  readonly constraint: string;
  readonly list: readonly Published[];
  readonly eligibility?: Eligibility;
  readonly chosen: string | undefined;
  /** All other entries with their reasons. */
  readonly refused: readonly string[];
}

export const DAY = 86_400_000;
export const NOW: number = Date.parse('2026-11-21T00:00:00Z');

export function on(platform: 'linux/amd64' | 'linux/arm64'): Eligibility {
  return { now: NOW, platform };
}

export function built(version: string, ...platforms: string[]): ReleaseRecord {
  return { version, artifacts: platforms.map((platform) => ({ platform })) };
}

export function digested(version: string, platform: string, digest: string): ReleaseRecord {
  return { version, artifacts: [{ platform, digest }] };
}

export function aged(version: string, days: number): ReleaseRecord {
  return { version, publishedAt: NOW - days * DAY };
}

/** Each row is a test of its own, for its list in both directions. */
export function decides(rows: readonly Case[]): void {
  it.each(rows)('$case', ({ constraint, list, eligibility, ...expected }) => {
    for (const order of [list, list.toReversed()]) {
      const resolution = ask(constraint, order, eligibility);
      expect({ chosen: chosen(resolution), refused: refusals(resolution) }).toEqual({
        chosen: expected.chosen,
        refused: expected.refused,
      });
    }
  });
}
