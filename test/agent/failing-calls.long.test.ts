import { describe, expect, it } from 'vitest';
import { parseFault, type InjectedFault } from '../faults/injected-fault.ts';
import { playFault } from '../faults/play-faults.ts';
import { canTrace } from '../faults/run-traced.ts';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { upgradeScene } from '../faults/upgrade-scene.ts';
import { needs } from '../support/prerequisite.ts';

/** A fault of each kind, and how the agent ends; `npm run faults -- calls --in upgrade` plays more. */
const FAULTS = [
  // A folder of old packages cannot be read.
  ['openat:EACCES:2', '0'],
  // machine.db cannot be written for a while.
  ['pwrite64:ENOSPC:135..139', '0'],
  // The folder of downloads cannot be created.
  ['mkdir:ENOSPC:3', '75'],
] as const;

describe('[A8] a system call of the agent fails', () => {
  it.concurrent.for(FAULTS)(
    '%s: it ends with %s, and the next one has installed the release',
    async ([text, exit], context) => {
      needs(context, canTrace(), 'strace is not installed, or may not be used here');
      await withUpgradeReleases(async ({ address, publish }) => {
        publish('1.0.0', 'works');
        publish('1.0.1', 'works');
        const played = await playFault(upgradeScene(address), parseFault(text) as InjectedFault);
        expect(played).toMatchObject({ findings: [], exit });
        expect(played.call).not.toBeUndefined();
      });
    },
  );
});
