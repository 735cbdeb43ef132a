import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import type { AgentSite } from '../support/agent-site.ts';
import { entry } from '../support/planned.ts';
import { withCamera } from './support/camera.ts';

function pinned(version: string, name = 'lidar'): object {
  return { modules: [entry('acme:lidar', version, name)] };
}

function running({ home }: AgentSite): readonly unknown[] {
  return marked(`${runIdOf(home)}/`);
}

describe('a device is unplugged, and meanwhile', () => {
  it('[D102] an older version is pinned: it is started until the device is back, and is not quarantined', async () => {
    const { site, plug, camera, needs } = await withCamera('lidar');
    site.publish('acme:lidar', '1.0.0', needs);
    await site.start();
    await site.until('done');
    site.publish('acme:lidar', '1.1.0', `: 1.1.0; ${needs}`);
    await site.until('done');
    // What runs does not need it any more.
    rmSync(camera);
    site.configure(pinned('1.0.0'));
    await site.until(
      'failed (undecided, 1.0.0): it ended with exit code 5; no other version may run here',
    );
    await site.until('lidar backing-off 1.0.0');
    plug();
    await site.until('lidar running 1.0.0');
    site.configure(pinned('1.*'));
    await site.until('lidar running 1.1.0');
    await site.until('done');
    expect(running(site)).toHaveLength(1);
  });

  it('[D103] a first run needs it: the release is tried again once the version in use works', async () => {
    const { site, plug, unplug, needs, camera } = await withCamera('lidar');
    site.publish('acme:lidar', '1.0.0', needs);
    await site.start();
    await site.until('done');
    unplug();
    await site.until('lidar backing-off 1.0.0');
    const first = `[ -e ${camera} ] || exit 7; touch "$PLATFORM_MODULE_DATA/first"; exit 0`;
    const script = `[ -e "$PLATFORM_MODULE_DATA/first" ] || { ${first}; }; exec sleep 1000`;
    site.publish('acme:lidar', '1.1.0', script, { entrypoint: 'run', first_run: 'run' });
    await site.until(
      'failed (undecided, 1.0.0): its first run failed: it ended with exit code 7; 1.0.0, which is in use, does not stay up either',
    );
    plug();
    await site.until('lidar running 1.0.0');
    await site.until('lidar running 1.1.0');
    await site.until('done');
    expect(running(site)).toHaveLength(1);
  });

  it('[D105] its entry is renamed while a failure is undecided: what ran under the old name is started for ever', async () => {
    const { site, plug, unplug, needs } = await withCamera('lidar');
    site.publish('acme:lidar', '1.0.0', needs);
    await site.start();
    await site.until('done');
    unplug();
    site.publish('acme:lidar', '1.1.0', `: 1.1.0; ${needs}`);
    await site.until(/^failed \(undecided, 1\.0\.0\)/);
    site.configure(pinned('1.*', 'front'));
    await site.until('front trying 1.0.0');
    await site.until(
      'failed (undecided, 1.0.0): it ended with exit code 5; no other version may run here',
    );
    plug();
    await site.until('front running 1.0.0');
    await site.until('front running 1.1.0');
    await site.until('done');
    expect(site.story.filter((line) => line.startsWith('lidar'))).toEqual([]);
  });
});
