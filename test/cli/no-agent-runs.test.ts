import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/program.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { temporaryFolder } from '../support/folder.ts';
import { MINUTE, type DayOptions } from '../support/day.ts';
import { NIGHTLY, settled } from '../support/restarts.ts';

/** What the last of these commands says twelve and a half minutes after the last round of an agent that has ended. */
async function afterEnd(
  options: Partial<DayOptions>,
  ...commands: readonly (readonly string[])[]
): Promise<readonly string[]> {
  const machine = await settled(options);
  // What is copied is claimed by nothing.
  const home = temporaryFolder();
  cpSync(machine.home, home, { recursive: true });
  const environment = { PLATFORM_HOME: home };
  const clock = (): number => machine.clock.now() + 12 * MINUTE;
  const world = { ...quietWorld('linux/arm64'), environment, clock };
  let said: readonly string[] = [];
  for (const args of commands) {
    const { answer, notes, problems } = await runCommandLine(args, world);
    const found = problems.flatMap(({ message, hint = [] }) => [message].concat(hint));
    said = [...found, ...answer.slice(0, 1), ...notes];
  }
  return said;
}

const HELD: Partial<DayOptions> = {
  policy: NIGHTLY,
  releases: { 'acme:lidar': [{ version: '1.2.3' }, { version: '1.2.9' }] },
};

const STALE =
  'no agent runs: this follows from its last round, 12 min 30 s ago, and from what was changed since; nothing is requested, so start it and ask again';

it('[D487] a refusal follows from the last round, and nothing is requested', async () => {
  expect(await afterEnd({}, ['upgrade', 'acme:lidar', '--now'])).toEqual([
    'acme:lidar has nothing to upgrade: already the newest patch of 1.2; nothing was changed',
    STALE,
  ]);
});

it('[D487] a refusal follows from a quarantine that began after the last round, too', async () => {
  const quarantine = ['quarantine', 'add', 'acme:lidar', '1.2.9', '--reason', 'no light'];
  expect(await afterEnd(HELD, quarantine, ['upgrade', 'acme:lidar', '--now'])).toEqual([
    'acme:lidar has nothing to upgrade: stays at 1.2.3: 1.2.9 is quarantined on this machine (no light); nothing was changed',
    STALE,
  ]);
});

it('[D487] the help of upgrade says when a request ends', async () => {
  const { answer } = await runCommandLine(['upgrade', '--help'], quietWorld('linux/arm64'));
  expect(answer.join(' ').replaceAll(/\s+/g, ' ')).toContain(
    'the request ends after an hour at the latest',
  );
});

it('[D487] a request for an upgrade waits for the next start of the agent', async () => {
  expect(await afterEnd(HELD, ['upgrade', 'acme:lidar', '--now'])).toEqual([
    'acme:lidar: upgrade to 1.2.9, at the next start of the agent',
    'note: no agent runs: the request waits for its next start',
    'note: the request ends in an hour at the latest; modreg hold acme_lidar --for 1h --reason … stops it',
  ]);
});

it('[D487] an upgrade that is only shown begins nothing', async () => {
  expect(await afterEnd(HELD, ['upgrade', 'acme:lidar'])).toEqual([
    'acme:lidar: upgrade to 1.2.9 waits',
    'note: no agent runs, so nothing begins',
    'note: modreg upgrade acme_lidar --now does not wait for that',
  ]);
});

it('[D487] a restart waits for the next start of the agent', async () => {
  expect(await afterEnd({}, ['restart', 'acme:lidar', '--now'])).toEqual([
    'acme:lidar restarts 1.2.3 at the next start of the agent',
    'note: modreg restart acme_lidar --cancel withdraws this',
  ]);
});

it('[D487] a name that is unknown has nothing to do with the last round', async () => {
  expect(await afterEnd({}, ['restart', 'acme:lidra'])).toEqual([
    '"acme:lidra" names no module or subsystem that this machine decides on',
    'this machine knows acme:lidar, platform-agent, platform-server',
  ]);
});
