import { describe, expect, it } from 'vitest';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';
import { site } from '../support/site.ts';
import { contentsOf } from '../support/machine-home.ts';

/** The lines of a plan below its first, which has the age of the lists. */
function rest(text: string): string[] {
  return text.split('\n').slice(1);
}

describe('modreg plan over the network', () => {
  it('reads all lists in one round, and offline uses the saved lists until they are too old (D21)', async () => {
    const { address, catalogue } = await loopbackRegistry();
    for (const id of ['acme:lidar', 'acme:arm']) {
      const release = readRelease({ version: '1.2.3' });
      if (release.ok) catalogue.publish(moduleId(id), release.value, 0);
    }
    const folder = site({
      machine: { modules: [entry('acme:lidar', '1.*'), entry('acme:arm', '1.*')] },
      deployed: { acme_lidar: '1.2.0', acme_arm: '1.2.3' },
      policy: { registry: address },
    });
    const home = { PLATFORM_HOME: temporaryFolder() };
    const args = ['plan', `${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
    const fresh = await inProcess(args, home);
    expect(fresh.stdout.split('\n')[0]).toMatch(/2 modules {3}lists from \S+, \d s old$/);
    // On a busy machine, the answer may take longer than a second.
    expect([fresh.stderr, fresh.exit]).toEqual(['', 0]);

    const saved = await inProcess([...args, '--offline', '--json'], home);
    const { modules } = JSON.parse(saved.stdout) as { modules: { next_change: { at: string } }[] };
    expect(modules).toMatchObject([
      { decision: 'upgrade', target: '1.2.3', warnings: [{ code: 'STALE_LIST' }] },
      { decision: 'up-to-date', next_change: { because: 'list-too-old', decision: 'stuck' } },
    ]);
    const offline = await inProcess([...args, '--offline'], home);
    expect(offline.stderr.match(/STALE_LIST.*/g)).toEqual([
      expect.stringMatching(
        /: the registry \S+ was not contacted; the saved list is used: acme:lidar, acme:arm$/,
      ),
    ]);

    const later = await inProcess(
      [...args, '--offline', '--at', modules[1]?.next_change.at ?? ''],
      home,
    );
    expect(later.exit).toBe(4);
    expect(later.stderr).toMatch(
      /^error\[LIST_STALE\]: .*; acme:lidar stays at 1\.2\.0, acme:arm stays at 1\.2\.3$/m,
    );
  });

  it('[D292] of a new machine writes nothing, and says the same after `add` has kept a list', async () => {
    const { address, catalogue } = await loopbackRegistry();
    const release = readRelease({ version: '1.2.3' });
    for (const id of ['acme:lidar', 'acme:arm'])
      if (release.ok) catalogue.publish(moduleId(id), release.value, 0);
    const folder = site({
      machine: { modules: [entry('acme:arm', '1.*')] },
      policy: { registry: address },
    });
    const home = temporaryFolder();
    const run = async (...args: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await inProcess([...args], { PLATFORM_HOME: home });
      return (stdout + stderr).replaceAll(/ {2,}/g, ' | ').replaceAll(folder, '…');
    };
    const plan = async (): Promise<string> => await run('plan', `${folder}/machine.json`);
    await plan();
    expect(contentsOf(home)).toEqual({});

    expect(await run('add', 'acme:lidar', `${folder}/machine.json`)).toBe(
      '…/machine.json: added acme:lidar 1.2.3 (pinned) as acme_lidar\n',
    );
    const kept = contentsOf(home);
    const expected = [
      '',
      ' | MODULE | CONSTRAINT | DEPLOYED | TARGET | LATEST | DECISION | WHY',
      ' | acme:arm | 1.* | none | 1.2.3 | 1.2.3 | install | not deployed yet; newest release of 1',
      ' | acme:lidar | 1.2.3 | none | 1.2.3 | 1.2.3 | install | not deployed yet; pinned',
      '',
      '2 installs, 0 unchanged.',
      'Nothing was changed.',
      'note: no agent or poller has run here, so no module counts as deployed; --deployed <file> says what is',
      '',
    ];
    expect([rest(await plan()), rest(await plan())]).toEqual([expected, expected]);
    expect(contentsOf(home)).toEqual(kept);
    expect(await run('status')).toBe(
      'no process polls for this machine; no round was made yet\n\nno module was decided on yet\n',
    );
  });
});
