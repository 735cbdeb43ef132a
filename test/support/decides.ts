import { expect, it } from 'vitest';
import {
  indexReleases,
  resolve,
  type Eligibility,
  type ReleaseRecord,
} from '../../src/core/index.ts';
import { chosen, constraint, records, refusals, type Published } from './ask.ts';

/** One case of a row of the decision table. */
interface Case {
  readonly case: string;
  readonly constraint: string;
  readonly list: readonly Published[];
  readonly eligibility?: Eligibility;
  readonly chosen: string | undefined;
  /** All other entries, with their reasons. */
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

/** Defines one test per row. Each list is tested in both orders, and each index with a first and a second query. */
export function decides(rows: readonly Case[]): void {
  // vitest cuts `$case` off at 40 characters.
  const titled = rows.map((row) => [row.case, row] as const);
  it.each(titled)('%s', (_title, { constraint: asked, list, eligibility, ...expected }) => {
    for (const order of [list, list.toReversed()]) {
      const index = indexReleases(records(order));
      for (const time of ['first', 'again']) {
        const resolution = resolve(constraint(asked), index, eligibility);
        const answer = { time, chosen: chosen(resolution), refused: refusals(resolution) };
        expect(answer).toEqual({ time, chosen: expected.chosen, refused: expected.refused });
      }
    }
  });
}

/** A release in rollout, whose share is the percentage unless it is given. */
export function inRollout(
  version: string,
  salt: string,
  percent: number,
  more: Partial<NonNullable<ReleaseRecord['rollout']>> = {},
): ReleaseRecord {
  return { version, rollout: { salt, percent, share: percent / 100, ...more } };
}
