import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { ask, night } from '../support/history.ts';
import { inProcess } from '../support/in-process.ts';
import { blocksOf, PAGES } from '../support/pages.ts';
import { listOf } from '../../mocks/module-document.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';

/** The sessions whose output contains an age, a process id, an action's id or an address, with these masked. */
const SESSIONS = PAGES.flatMap((page) => blocksOf(page))
  .filter(({ language }) => language === 'sh-session')
  .map(({ content }) => masked(content));

function masked(text: string): string {
  return text
    .replaceAll(/process \d+ polls/g, 'process P polls')
    .replaceAll(/\([\da-f]{12}-\d+\)/g, '(ID)')
    .replaceAll(/https?:\/\/[\w.:]+/g, 'ADDRESS');
}

it('`modreg accept` prints what operating.md shows', async () => {
  let list = listOf(['1.2.10', '1.2.9'], 3);
  const { address } = await plainServer((response) => send(response, list));
  const environment = { PLATFORM_HOME: temporaryFolder() };
  const registry = ['--registry', address];
  await inProcess(['resolve', 'acme:lidar', '1.2.*', ...registry], environment);
  list = listOf(['1.2.9'], 2);
  const { stdout } = await inProcess(['accept', 'acme:lidar', ...registry], environment);
  expect(SESSIONS).toContain(`$ modreg accept acme:lidar --registry ADDRESS\n${stdout}`);
});

it('`modreg why` prints what operating.md shows', async () => {
  const { home } = await night();
  const { answer } = await ask(home, 'why', 'acme:lidar');
  expect(SESSIONS).toContain(
    `$ modreg why acme:lidar | tail -n 7\n${answer.slice(-7).join('\n')}\n`,
  );
});

function compare(a = '', b = ''): number {
  return a.localeCompare(b);
}

const TOKEN_SESSIONS = [
  '$ modreg registry token list',
  '$ modreg registry token revoke ci',
  `$ grep '"token":"t1"' registry.log`,
  '$ modreg registry show acme:lidar',
  '$ modreg registry token create --name ci --scope publish:acme --scope yank:acme --expires 90d',
  '$ modreg registry token create --name ci --scope publish:acme --scope yank:acme --expires 90d',
  '$ modreg registry publish acme:lidar 1.2.9 --registry ADDRESS',
];

it('plays each session', () => {
  expect(SESSIONS.map((session) => session.split('\n', 1)[0]).toSorted(compare)).toEqual(
    [
      '$ modreg why acme:lidar | tail -n 7',
      // test/cli/fleet-config.test.ts
      '$ modreg fleet config set machine.json --machine rover-7 --reason first',
      // test/cli/fleet.test.ts
      '$ modreg fleet what-if acme:lidar 1.4.0',
      // test/cli/doctor-documents.test.ts
      '$ modreg doctor machine.json | tail -n 8',
      // test/docs/did-not-upgrade.test.ts
      '$ modreg status | head -n 5',
      '$ modreg why acme:lidar | tail -n 2',
      "$ modreg resolve acme:lidar '1.2.*' --explain --machine --policy policy.json | tail -n 2",
      '$ modreg accept acme:lidar --registry ADDRESS',
      // test/docs/must-not-upgrade.test.ts
      "$ modreg quarantine add acme:lidar 1.2.9 --for 1d --reason 'not during the fair'",
      // test/docs/registry-restored.test.ts
      '$ modreg status | head -n 1',
      "$ modreg registry yank acme:lidar 1.2.8 --reason 'stops the motor' | head -n 1",
      "$ grep 'the list of' poll.log",
      // test/cli/restart.test.ts
      '$ modreg restart acme:lidar',
      // test/cli/hold.test.ts
      "$ modreg hold acme:lidar --for 12h --reason 'on stage'",
      // test/cli/upgrade.test.ts
      '$ modreg upgrade acme:lidar',
      // test/cli/poll-hook.test.ts
      '$ modreg poll machine.json --exec ./hook.sh --deployed none --interval 5s',
      // test/docs/running-the-agent.test.ts
      '$ tar czf lidar-1.0.0.tgz -C examples/module .',
      '$ modreg agent run machine.json --interval 5s',
      '$ modreg registry publish acme:lidar 1.1.0 --upload lidar-1.0.0.tgz',
      // test/cli/module.test.ts
      '$ modreg module init lidar --template python',
      // test/docs/token-sessions.test.ts
      ...TOKEN_SESSIONS,
    ].toSorted(compare),
  );
});
