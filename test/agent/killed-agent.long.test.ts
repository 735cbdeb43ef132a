import { describe, expect, it } from 'vitest';
import { killedAt } from '../faults/kill-upgrades.ts';
import type { Behaviour } from '../faults/upgrade-releases.ts';

/** Something is on disk at each of these events of an upgrade to 1.0.1, and the next change is not. */
const POINTS: Readonly<Partial<Record<Behaviour, readonly string[]>>> = {
  works: [
    'committed 1.0.1',
    'delivered 1.0.1',
    'downloading 1.0.1',
    'unpacked 1.0.1',
    'renamed 1.0.1',
    'installed 1.0.1',
    'stopping',
    'trying 1.0.1',
    'started 1.0.1',
    'probation 1.0.1',
    'running 1.0.1',
    'acknowledged',
  ],
  'fails-on-probation': ['probation 1.0.1', 'rolling-back 1.0.0', 'quarantined', 'acknowledged'],
};

/** Each point is tried so often again. */
const repeats = Number(process.env['MODREG_AGENT_KILLS'] ?? 1) - 1;

describe('[A2] [A6] killed while it upgrades, it leaves no process, and the next agent ends the upgrade', () => {
  for (const [release, points = []] of Object.entries(POINTS)) {
    it.concurrent.for(points)(
      `to a release that ${release}, at "%s"`,
      { repeats },
      async (point) => {
        // A cast: the keys are those of POINTS.
        const { wasKilled, findings } = await killedAt(point, release as Behaviour);
        expect([wasKilled, ...findings]).toEqual([true]);
      },
    );
  }
});
