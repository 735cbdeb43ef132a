import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { marked, runIdOf } from '../../src/agent/process/process-table.ts';
import { agentSite, FOR_PROGRAM, type AgentSite } from '../support/agent-site.ts';
import { entry } from '../support/planned.ts';

/** A module that works only with one value of a variable. */
const NEEDS_PORT = '[ "$PORT" = usb0 ] || { echo "no port $PORT" >&2; exit 1; }; exec sleep 1000';
const STAYS = 'exec sleep 1000';

function config(port: string, name = 'lidar'): object {
  return { modules: [{ ...entry('acme:lidar', '1.*', name), env: { PORT: port } }] };
}

/** A site on which 1.0.0 fails, because of a typing error in a variable. */
async function mistyped(): Promise<AgentSite> {
  const site = await agentSite(config('ubs0'), FOR_PROGRAM);
  site.publish('acme:lidar', '1.0.0', NEEDS_PORT);
  await site.start();
  await site.until('failed (release, none): it ended with exit code 1: no port ubs0');
  return site;
}

describe('[D82] a release that failed because of its entry', () => {
  it('is tried again when the entry is corrected', async () => {
    const site = await mistyped();
    site.configure(config('usb0'));
    await site.until('lidar trying 1.0.0');
    await site.until('lidar running 1.0.0');
    await site.until('done');
    expect(site.story.filter((line) => line.startsWith('failed'))).toEqual([]);
  });

  it('is tried once for each edit, three times in all', async () => {
    const site = await mistyped();
    for (const port of ['usb1', 'usb2', 'usb3']) {
      site.configure(config(port));
      await site.until(`failed (release, none): it ended with exit code 1: no port ${port}`);
    }
    site.configure(config('usb0'));
    site.publish('acme:lidar', '1.1.0', STAYS);
    await site.until('lidar running 1.1.0');
    expect(site.story).not.toContain('lidar trying 1.0.0');
  });

  it('is not tried again under an entry under which it failed', async () => {
    const site = await mistyped();
    site.configure(config('usb1'));
    await site.until('failed (release, none): it ended with exit code 1: no port usb1');
    site.configure(config('ubs0'));
    site.publish('acme:lidar', '1.1.0', STAYS);
    await site.until('lidar running 1.1.0');
    expect(site.story).not.toContain('lidar trying 1.0.0');
  });

  it('is tried again if the edit came before it failed: what ran did not have it', async () => {
    const site = await agentSite(config('ubs0'), { ...FOR_PROGRAM, readyMs: 10_000 });
    const waits = `until [ -e "$PLATFORM_HOME/go" ]; do sleep 0.05; done`;
    site.publish('acme:lidar', '1.0.0', `[ "$PORT" = usb0 ] || { ${waits}; exit 1; }; ${STAYS}`);
    await site.start();
    await site.until('lidar trying 1.0.0');
    site.configure(config('usb0'));
    await site.until('lidar has another setup');
    writeFileSync(join(site.home, 'go'), '');
    await site.until('failed (release, none): it ended with exit code 1');
    await site.until('lidar trying 1.0.0');
    expect(site.requests).toEqual(['/acme:lidar/1.0.0']);
  });
});

/** A module that has what only one process can have, and takes a moment to stop. */
const HAS_DEVICE = `exec 9>"$PLATFORM_HOME/device"; flock -n 9 || { echo busy >&2; exit 1; }
trap 'sleep 0.5; exit 0' TERM; while :; do sleep 0.05 9>&-; done`;

describe('[D84] an entry that is renamed', () => {
  it('[A16] is started when the process of the old one has ended', async () => {
    const site = await agentSite(config('usb0'), FOR_PROGRAM);
    site.publish('acme:lidar', '1.0.0', HAS_DEVICE);
    await site.start();
    await site.until('done');
    site.configure(config('usb0', 'front'));
    await site.until('front waits for lidar');
    await site.until('lidar stopped 1.0.0');
    await site.until('front trying 1.0.0');
    await site.until('front running 1.0.0');
    await site.until('done');
    expect(site.requests).toEqual(['/acme:lidar/1.0.0']);
  });

  it('[A16] and renamed back resumes when the process of the new one has ended', async () => {
    const site = await agentSite(config('usb0'), FOR_PROGRAM);
    site.publish('acme:lidar', '1.0.0', HAS_DEVICE);
    await site.start();
    await site.until('done');
    site.configure(config('usb0', 'front'));
    await site.until('front running 1.0.0');
    await site.until('done');
    site.configure(config('usb0'));
    await site.until('lidar waits for front');
    await site.until('lidar starting 1.0.0');
    expect(marked(`${runIdOf(site.home)}/front/`)).toEqual([]);
    await site.until('lidar running 1.0.0');
    expect(site.story.filter((line) => line.includes('failed'))).toEqual([]);
  });

  it('[A16] waits no longer than the old process is given', async () => {
    const site = await agentSite(config('usb0'), { ...FOR_PROGRAM, stopMs: 300 });
    site.publish('acme:lidar', '1.0.0', HAS_DEVICE.replace('exit 0', 'sleep 1000'));
    await site.start();
    await site.until('done');
    site.configure(config('usb0', 'front'));
    await site.until('lidar killed 1.0.0 after 300 ms');
    await site.until('front running 1.0.0');
    expect(site.story).not.toContain('lidar running 1.0.0');
  });

  it('and has another module under its old name does not fail its installation', async () => {
    const site = await agentSite(config('usb0'), FOR_PROGRAM);
    site.publish('acme:lidar', '1.0.0', HAS_DEVICE);
    site.publish('beta:lidar', '1.0.0', STAYS);
    await site.start();
    await site.until('done');
    site.configure({ modules: [entry('beta:lidar', '1.*', 'lidar')] });
    await site.until('lidar stopped 1.0.0');
    await site.until('lidar running 1.0.0');
    await site.until('done');
    expect(site.story.filter((line) => line.startsWith('failed'))).toEqual([]);
  });

  it('[A16] and gets another module is started when the process of the old one has ended', async () => {
    const site = await agentSite(config('usb0'), { ...FOR_PROGRAM, stopMs: 5000 });
    site.publish('acme:lidar', '1.0.0', HAS_DEVICE.replace('0.5', '1.5'));
    site.publish('beta:lidar', '1.0.0', HAS_DEVICE);
    await site.start();
    await site.until('done');
    site.configure({ modules: [entry('beta:lidar', '1.*', 'front')] });
    await site.until('front trying 1.0.0');
    expect(marked(`${runIdOf(site.home)}/lidar/`)).toEqual([]);
    await site.until('front running 1.0.0');
    await site.until('done');
    expect(site.story.filter((line) => line.startsWith('failed'))).toEqual([]);
  });
});

it('[T373] an entry that comes back runs what is there at once, without a download, and then the newest release', async () => {
  const site = await agentSite(config('usb0'), FOR_PROGRAM);
  site.publish('acme:lidar', '1.0.0', STAYS);
  await site.start();
  await site.until('done');
  site.configure({ modules: [] });
  await site.until('lidar stopped 1.0.0');
  site.publish('acme:lidar', '1.1.0', STAYS);
  site.configure(config('usb0'));
  await site.until('lidar starting 1.0.0');
  await site.until('lidar running 1.1.0');
  await site.until('done');
  expect(site.requests).toEqual(['/acme:lidar/1.0.0', '/acme:lidar/1.1.0']);
});
