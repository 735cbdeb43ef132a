import { indexReleases, resolve, type Eligibility, type ReleaseRecord } from 'modreg';
import { satisfiesRange } from 'modreg/registry';
import { constraint } from '../parsed.ts';
import type { Measured } from '../part.ts';
import { median, rounded, short } from '../row.ts';

const RELEASES = 10_000;
const RUNS = 31;
/** The target. */
const MOST_RATIO = 2;
const REQUIRES = { requires: { 'platform-server': ['>=1.4.0 <2'], tags: ['distro:debian'] } };
const LATEST = constraint('latest');

function listOf(more: Partial<ReleaseRecord>): ReleaseRecord[] {
  return Array.from({ length: RELEASES }, (_, place) => {
    return { version: `1.${Math.trunc(place / 100)}.${place % 100}`, ...more };
  });
}

function on(server: string): Eligibility {
  return {
    now: 0,
    machine: {
      deployed: () => [{ kind: 'version', text: server }],
      hasTag: () => true,
      satisfies: satisfiesRange,
    },
  };
}

/** Each list beside one without the field, with the same outcome: the newest release is selected, or all are refused. */
const PAIRS = [
  { outcome: 'selects the newest', without: listOf({}), with: listOf(REQUIRES), server: '1.5.0' },
  {
    outcome: 'refuses all',
    without: listOf({ yanked: '' }),
    with: listOf(REQUIRES),
    server: '1.0.0',
  },
] as const;

/** How long a cold resolution takes if all releases of a list require something, and if none does, in turns. */
export function requirements(): Measured {
  const measured = PAIRS.map(({ outcome, server, ...lists }) => {
    const runs = Array.from({ length: RUNS }, () => ({
      without: timeOf(lists.without, server),
      with: timeOf(lists.with, server),
    }));
    const [without, withAll] = [
      median(runs.map((run) => run.without)),
      median(runs.map((run) => run.with)),
    ];
    return { outcome, without, withAll, ratio: withAll / without };
  });
  const worst = Math.max(...measured.map(({ ratio }) => ratio));
  return {
    headline: `${RELEASES} releases that all have requires: at most ${short(worst)} times the time of a list without`,
    details: measured.map(({ outcome, without, withAll, ratio }) => ({
      outcome,
      'without ms': rounded(without),
      'with ms': rounded(withAll),
      ratio: rounded(ratio),
    })),
    rows: [
      {
        measured: `a list of ${RELEASES} releases that all have \`requires\`, beside one without`,
        figure: `${short(worst)} times the time`,
        target: `at most ${MOST_RATIO} times`,
        isMet: worst <= MOST_RATIO,
      },
    ],
  };
}

function timeOf(list: readonly ReleaseRecord[], server: string): number {
  const start = performance.now();
  resolve(LATEST, indexReleases(list), on(server));
  return performance.now() - start;
}
