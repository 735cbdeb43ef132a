import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/store/machine-state.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfter, logged, polledHome } from '../support/machine-home.ts';

const MINUTE = 60_000;

async function status(home: string, ...options: readonly string[]): Promise<Printed> {
  return await printed(['status', ...options], {
    environment: { PLATFORM_HOME: home },
    clock: Date.now,
  });
}

async function ended(home: string, ...options: readonly string[]): Promise<readonly unknown[]> {
  const { stdout, exit } = await status(home, ...options);
  return [stdout[0]?.replace(/(?<=round )\d+ (s|min( \d+ s)?)/, 'SOME'), exit];
}

/** Logs a round, and decisions with these words. */
function round(
  state: MachineState,
  {
    ago = 0,
    words = ['up-to-date'],
  }: { readonly ago?: number; readonly words?: readonly string[] },
): void {
  const decisions = words.map((decision, place) => logged(`acme_m${place}`, { decision }));
  state.log(decisions, { at: Date.now() - ago, trouble: undefined });
}

const RUNNING = `process ${process.pid} polls for this machine; last round SOME ago`;

describe('modreg status --exit-code while a poller is running', () => {
  it.each<[string, (state: MachineState) => void, readonly string[], number]>([
    [
      'everything is settled',
      (state) => round(state, { words: ['up-to-date', 'ahead', 'local', 'disabled'] }),
      [],
      0,
    ],
    ['an upgrade is due', (state) => round(state, { words: ['up-to-date', 'upgrade'] }), [], 10],
    ['an upgrade is held', (state) => round(state, { words: ['hold'] }), [], 10],
    [
      'an action is open',
      (state) => {
        round(state, {});
        commitOne(state, { target: moduleNamed('acme_m0', 'acme:m0') });
      },
      [],
      10,
    ],
    [
      '[D388] a release is only too young',
      (state) => {
        const next = { at: 9e12, because: 'release-of-age', decision: 'install', target: '1.0.0' };
        const young = logged('acme_m0', { decision: 'stuck', next });
        state.log([young], { at: Date.now(), trouble: undefined });
      },
      [],
      10,
    ],
    ['a module is stuck', (state) => round(state, { words: ['hold', 'stuck'] }), [], 12],
    [
      'a subsystem that nobody reports is stuck',
      (state) =>
        state.log([logged('platform-agent', { decision: 'stuck' })], {
          at: Date.now(),
          trouble: undefined,
        }),
      [],
      0,
    ],
    ['the last round is old', (state) => round(state, { ago: 31 * MINUTE }), [], 12],
    [
      'the last round is not older than --max-age',
      (state) => round(state, { ago: 31 * MINUTE }),
      ['--max-age', '1h'],
      0,
    ],
    [
      'the last round is older than --max-age',
      (state) => round(state, { ago: 2 * MINUTE }),
      ['--max-age', '1m'],
      12,
    ],
    [
      'the agent is in a crash loop',
      (state) => {
        round(state, {});
        for (const ago of [5, 4, 3, 2, 1]) state.start(Date.now() - ago * MINUTE);
      },
      [],
      12,
    ],
  ])('%s', async (_, work, options, exit) => {
    const { home, state } = polledHome();
    work(state);
    expect(await ended(home, '--exit-code', ...options)).toEqual([RUNNING, exit]);
    expect(await ended(home)).toEqual([RUNNING, 0]);
  });

  it('--json says that it is running, and that it is not', async () => {
    const { home, state } = polledHome();
    round(state, {});
    expect((await status(home, '--json')).stdout.join('')).toContain('"running":true,');
    const stopped = homeAfter((other) => round(other, {}));
    expect((await status(stopped, '--json')).stdout.join('')).toContain('"running":false,');
  });
});

describe('modreg status --exit-code without a poller', () => {
  it('reports one that has ended', async () => {
    const home = homeAfter((state) => round(state, {}));
    const line = `no process polls for this machine; last round SOME ago by process ${process.pid}`;
    expect(await ended(home, '--exit-code')).toEqual([line, 12]);
    expect(await ended(home)).toEqual([line, 0]);
  });

  it.each([
    ['no file', {}],
    ['an empty file', { 'machine.db': '' }],
  ])('reports a machine without state: %s', async (_, files) => {
    const home = temporaryFolder(files);
    const line = 'this machine has no state: neither modreg agent run nor modreg poll has run here';
    expect(await ended(home)).toEqual([line, 0]);
    expect(await ended(home, '--exit-code')).toEqual([line, 12]);
    const { stdout, stderr, exit } = await status(home, '--json');
    expect(JSON.parse(stdout.join(''))).toEqual({
      schema: 'modreg/status@1',
      at: expect.any(String) as string,
      running: false,
      poller: { pid: null, last_round: null, trouble: null, reports_only_until: null },
      targets: [],
      quarantine: [],
      holds: [],
    });
    expect([stderr, exit]).toEqual([[], 0]);
  });

  it('says where it looked', async () => {
    const home = temporaryFolder();
    expect((await status(home)).stderr).toEqual([
      `note: "${home}/machine.db": there is no such file; modreg agent run or modreg poll creates it in $PLATFORM_HOME, or else in $HOME/.platform`,
    ]);
  });

  it('refuses a --max-age that is not a duration', async () => {
    expect(await status(temporaryFolder(), '--max-age', 'soon')).toEqual({
      stdout: [],
      stderr: [
        'error[USAGE]: --max-age: "soon" is not a duration, expected a whole number and one of s, m, h, d, at most ten years, such as 5m',
      ],
      exit: 2,
    });
  });
});
