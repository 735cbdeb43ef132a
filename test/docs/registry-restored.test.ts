import { execFile } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { published } from '../support/published.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { entry } from '../support/planned.ts';
import { polledSite, polling, type Polling } from '../support/polling.ts';
import { servedHere } from '../support/served-here.ts';

const ADDRESS = 'https://registry.example';

/** Each command of the page's sessions, and what it prints. */
const SESSIONS = blocksOf(pageAt('docs/a-registry-was-restored.md'))
  .filter(({ language }) => language === 'sh-session')
  .flatMap(({ content }) => content.split(/^\$ /m).slice(1))
  .map((session) => [session.slice(0, session.indexOf('\n')), masked(session)] as const);

function masked(text: string): string {
  return (
    text
      .replaceAll(/http:\/\/[\d.:]+\d/g, ADDRESS)
      .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(
        /process \d+ polls for this machine; last round .* ago/g,
        'process P polls for this machine; last round AGE ago',
      )
      // It is not said in the moment in which that attempt is made.
      .replaceAll(/; next attempt in \d+ s/g, '')
  );
}

interface Restored {
  readonly address: string;
  /** The home of the machine, and that of the registry. */
  readonly homes: Readonly<Record<'machine' | 'registry', string>>;
  readonly poller: Polling;
  readonly log: readonly string[];
  /** Stops the registry. */
  readonly stop: () => Promise<void>;
}

/** A machine with a release that its registry no longer has, because it was restored from a backup. */
async function restored(): Promise<Restored> {
  const home = temporaryFolder();
  const [db, backup] = [`${home}/registry.db`, `${home}/backup.db`];
  const catalogue = new Catalogue(db, { mode: 'create' });
  published({ catalogue }, 'acme:lidar', '1.2.7', '1.2.8', '1.2.9');
  published({ catalogue }, 'acme:arm', '2.4.0');
  catalogue.createToken({ name: 'ci', scopes: ['publish'] }, Date.now());
  catalogue.close();
  copyFileSync(db, backup);
  for (const args of ['publish acme:lidar 1.2.10', 'yank acme:lidar 1.2.8', 'token revoke ci']) {
    await inProcess(['registry', ...args.split(' ')], { PLATFORM_HOME: home });
  }
  const first = await servedHere(db);
  const { address } = first;
  const folder = polledSite(
    { address },
    {
      modules: [entry('acme:lidar', '1.2.*'), entry('acme:arm', '2.*')],
      deployed: { acme_lidar: '1.2.9', acme_arm: '2.4.0' },
    },
  );
  const hook = `${folder}/hook`;
  writeFileSync(hook, '#!/bin/sh\n', { mode: 0o755 });
  const timers = `--import=${ROOT}test/docs/support/fast-timers.ts`;
  const poller = polling(folder, ['--exec', hook], { NODE_OPTIONS: timers });
  await poller.until('acme_lidar: upgrade 1.2.9 → 1.2.10: done');
  await first.end();
  for (const suffix of ['', '-wal', '-shm']) rmSync(db + suffix, { force: true });
  copyFileSync(backup, db);
  const second = await servedHere(db, '--port', new URL(address).port);
  const log = await poller.until('went backwards');
  const homes = { machine: `${folder}/home`, registry: home };
  // The poller logs what it has read before it records what it decided.
  const status = async (): Promise<string> =>
    (await inProcess(['status'], { PLATFORM_HOME: homes.machine })).stdout;
  await expect.poll(status).toContain(' stuck ');
  const stop = async (): Promise<void> => {
    await second.end();
  };
  return { address, homes, poller, log, stop };
}

it('a registry is restored and catches up, as the page shows', async () => {
  const { address, homes, poller, log } = await restored();
  const folder = temporaryFolder();
  const PATH = `${ROOT}bin:${process.env['PATH'] ?? ''}`;
  const shown: string[] = [];
  for (const [command] of SESSIONS) {
    if (command.startsWith('grep')) {
      const lines = [...log, ...(await poller.until('is available again'))];
      writeFileSync(`${folder}/poll.log`, lines.join('\n'));
    }
    const PLATFORM_HOME = command.includes('modreg registry') ? homes.registry : homes.machine;
    const line = command.replaceAll(ADDRESS, address).replace('poll.log', `${folder}/poll.log`);
    // Meanwhile, this process serves the registry.
    const options = { cwd: ROOT, env: { PATH, PLATFORM_HOME } };
    const { stdout } = await promisify(execFile)('sh', ['-c', line], options);
    shown.push(masked(`${command}\n${stdout}`));
  }
  const tokens = await inProcess(['registry', 'token', 'list'], { PLATFORM_HOME: homes.registry });
  expect(tokens.stdout).toMatch(/ci .* active$/m);
  expect(SESSIONS.map(([, session]) => session)).toEqual(shown);
  const accept = ['accept', 'acme:lidar', '--registry', address, '--dry-run'];
  // The poller saves the last change as soon as it hears of it.
  const difference = async (): Promise<string> =>
    (await inProcess(accept, { PLATFORM_HOME: homes.machine })).stdout;
  const none = 'acme:lidar\n  nothing changed\nnothing was accepted\n';
  await expect.poll(difference).toBe(none);
  const { exit } = await inProcess(['status', '--exit-code'], { PLATFORM_HOME: homes.machine });
  expect(exit).toBe(0);
});

it('a refused list stops a rollback, and a registry that is stopped does not', async () => {
  const { homes, poller, stop } = await restored();
  const { stdout } = await inProcess(['rollback', 'acme:lidar'], { PLATFORM_HOME: homes.machine });
  expect(stdout).toContain(
    'acme:lidar rolls back from 1.2.10 to 1.2.9 once its release list can be read',
  );
  await stop();
  await poller.until('acme_lidar: rollback 1.2.10 → 1.2.9: done');
});

it.each([
  ['1.2.*', 'AHEAD'],
  ['1.2.10', 'PIN_NOT_PUBLISHED'],
])('a deployed release that a restored .db file lacks stays: %s', async (constraint, warning) => {
  const folder = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', constraint)] }),
    'policy.json': '{"registry":"./registry.db"}',
    'deployed.json': '{"acme_lidar":"1.2.10"}',
  });
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
  published({ catalogue }, 'acme:lidar', '1.2.8', '1.2.9');
  catalogue.close();
  const plan = ['plan', `${folder}/machine.json`, '--deployed', `${folder}/deployed.json`];
  const { stdout, stderr } = await inProcess(plan);
  expect(stdout).toMatch(/\n\n1 unchanged\.\n/);
  expect(stderr).toContain(`warning[${warning}]: acme:lidar: `);
});
