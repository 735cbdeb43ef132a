import { expect, it } from 'vitest';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask, night } from '../support/history.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { modreg, runModreg } from '../support/modreg.ts';
import { blocksOf, PAGES } from '../support/pages.ts';
import { listOf, plainServer, send } from '../support/plain-server.ts';

/** The sessions whose output contains an age, a process id, an action's id or an address, with these masked. */
const SESSIONS = PAGES.flatMap((page) => blocksOf(page))
  .filter(({ language }) => language === 'sh-session')
  .map(({ content }) => masked(content));

function masked(text: string): string {
  return text
    .replaceAll(/last round \d+ s ago by process \d+/g, 'last round T s ago by process P')
    .replaceAll(/\([\da-f]{12}-\d+\)/g, '(ID)')
    .replaceAll(/https?:\/\/[\w.:]+/g, 'ADDRESS');
}

const FAILED_AT = Date.parse('2026-11-22T05:27:59.195Z');
const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const ARM = moduleNamed('acme_arm', 'acme:arm');
const GPS = moduleNamed('nimbus_gps', 'nimbus:gps');

it('`modreg status` prints what operating.md shows', () => {
  const home = homeAfter((state) => {
    const now = Date.now();
    const { id } = commitOne(state, { target: LIDAR, from: '1.2.3', to: '1.2.9' });
    state.deliver(id, FAILED_AT);
    const reason = 'no light after the restart';
    const outcome = { kind: 'failed', reason, running: '1.2.3', blame: 'release' } as const;
    const terms = { at: FAILED_AT, quarantineUntil: undefined, retryAt: 0 };
    state.acknowledge(id, outcome, terms);
    state.report(ARM, '2.4.0', now);
    state.report(GPS, '0.9.1', now);
    state.deliver(commitOne(state, { target: GPS, from: '0.9.1', to: '1.0.0' }).id, now);
    const hold = { decision: 'hold', target: '2.5.0', latest: '2.5.0' } as const;
    state.log(
      [
        logged('acme_lidar', {
          constraint: '1.2.*',
          target: '1.2.3',
          latest: '1.2.9',
          reason:
            'stays at 1.2.3: 1.2.9 is quarantined on this machine (no light after the restart)',
        }),
        logged('acme_arm', {
          ...hold,
          constraint: '2.*',
          reason: 'the maintenance window is closed until 2026-11-23T01:00:00Z',
        }),
        logged('nimbus_gps', {
          ...hold,
          constraint: 'latest',
          target: '1.0.0',
          latest: '1.0.0',
          reason: 'cooling down after a restart until 2026-11-22T05:32:59.197Z',
        }),
      ],
      { at: now, trouble: undefined },
    );
  });
  const { stdout } = modreg(['status'], { PLATFORM_HOME: home });
  expect(SESSIONS).toContain(`$ modreg status\n${masked(stdout)}`);
});

it('`modreg accept` prints what operating.md shows', async () => {
  let list = listOf(['1.2.10', '1.2.9'], 3);
  const { address } = await plainServer((response) => send(response, list));
  const environment = { PLATFORM_HOME: temporaryFolder() };
  const registry = ['--registry', address];
  await runModreg(['resolve', 'acme:lidar', '1.2.*', ...registry], environment);
  list = listOf(['1.2.9'], 2);
  const { stdout } = await runModreg(['accept', 'acme:lidar', ...registry], environment);
  expect(SESSIONS).toContain(`$ modreg accept acme:lidar --registry ADDRESS\n${stdout}`);
});

it('`modreg why` prints what operating.md shows', async () => {
  const { home } = await night();
  const { answer } = await ask(home, 'why', 'acme:lidar');
  expect(SESSIONS).toContain(
    `$ modreg why acme:lidar | tail -n 7\n${answer.slice(-7).join('\n')}\n`,
  );
});

it('plays each session', () => {
  expect(SESSIONS.map((session) => session.split('\n', 1)[0])).toEqual([
    '$ modreg status',
    '$ modreg why acme:lidar | tail -n 7',
    '$ modreg accept acme:lidar --registry ADDRESS',
  ]);
});
