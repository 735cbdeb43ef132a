import { describe, expect, it } from 'vitest';
import type { MachineState } from '../../src/store/machine-state.ts';
import { AGENT, moduleNamed } from '../support/claimed.ts';
import {
  contentsOf,
  homeAfter,
  logged,
  polledHome,
  rememberedIn,
} from '../support/machine-home.ts';
import { modreg } from '../support/modreg.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const ROUND = { at: 1, trouble: undefined };

interface Lidar {
  readonly constraint?: string | undefined;
  /** What ran, one after the other. */
  readonly ran?: readonly (string | null | undefined)[];
}

/** A machine with a lidar and an agent, and the constraint that the poller read of each. */
function machine(
  state: MachineState,
  { constraint = '1.*', ran = ['1.0.0', '1.1.0'] }: Lidar,
): void {
  for (const runs of ran) state.report(LIDAR, runs, 1);
  for (const runs of ['0.9.0', '0.9.1']) state.report(AGENT, runs, 1);
  const agent = logged('platform-agent', { constraint: 'stable' });
  state.log([logged('acme_lidar', { constraint }), agent], ROUND);
}

function homeOf(lidar: Lidar = {}): string {
  return homeAfter((state) => machine(state, lidar));
}

function rollback(home: string, ...args: readonly string[]): ReturnType<typeof modreg> {
  return modreg(['rollback', ...args], { PLATFORM_HOME: home });
}

const BACK =
  "rolls back from 1.1.0 to 1.0.0 at the poller's next decision, and stays there until a release above 1.1.0 is published\n";
const ELSEWHERE =
  "rolls back from 1.1.0 at the poller's next decision, to the best release that may be chosen instead, if there is one: no previous version may be chosen\n";
const LIFT = 'note: modreg quarantine lift acme:lidar 1.1.0 undoes this\n';

describe('modreg rollback', () => {
  it.each(['acme_lidar', 'acme:lidar'])('of %s', (named) => {
    const { home, state } = polledHome();
    machine(state, {});
    expect(rollback(home, named)).toEqual({ stdout: `acme:lidar ${BACK}`, stderr: LIFT, exit: 0 });
    const remembered = ['1.1.0 after 1.0.0', 'acme:lidar 1.1.0 rolled back to 1.0.0'];
    expect(rememberedIn(home)).toEqual(remembered);
    // The poller sees it without being told.
    expect(state.memory().of(LIDAR).quarantine).toMatchObject([{ version: '1.1.0' }]);
    expect(rollback(home, named).stdout).toBe(`acme:lidar ${BACK}`);
    expect(rememberedIn(home)).toEqual(remembered);
  });

  it.each(['platform-agent', 'platform:agent'])('of the subsystem %s', (named) => {
    const home = homeOf();
    expect(rollback(home, named)).toEqual({
      stdout:
        "platform-agent rolls back from 0.9.1 to 0.9.0 at the poller's next decision, and stays there until a release above 0.9.1 is published\n",
      stderr: 'note: modreg quarantine lift platform:agent 0.9.1 undoes this\n',
      exit: 0,
    });
    expect(rememberedIn(home, 'platform-agent')).toEqual([
      '0.9.1 after 0.9.0',
      'platform:agent 0.9.1 rolled back to 0.9.0',
    ]);
  });

  it.each<[string, Lidar, string, string]>([
    ['what ran before is outside the constraint', { constraint: '1.1.*' }, ELSEWHERE, 'nothing'],
    ['nothing ran before', { ran: ['1.1.0'] }, ELSEWHERE, 'nothing'],
    ['what ran before is no version', { ran: ['nightly', '1.1.0'] }, ELSEWHERE, 'nothing'],
    ['it did not run for a while', { ran: ['1.0.0', null, '1.1.0'] }, BACK, '1.0.0'],
    ['a prerelease ran before', { ran: ['1.1.0-rc.1', '1.1.0'] }, ELSEWHERE, 'nothing'],
    [
      'a prerelease ran before, which the constraint takes',
      { ran: ['1.0.0-rc.1', '1.1.0'], constraint: 'latest-with-prerelease' },
      BACK.replace('1.0.0', '1.0.0-rc.1'),
      '1.0.0-rc.1',
    ],
  ])('where %s', (_, lidar, told, to) => {
    const home = homeOf(lidar);
    expect(rollback(home, 'acme:lidar')).toEqual({
      stdout: `acme:lidar ${told}`,
      stderr: LIFT,
      exit: 0,
    });
    expect(rememberedIn(home)[1]).toBe(`acme:lidar 1.1.0 rolled back to ${to}`);
  });

  it.each([
    ['is in quarantine', undefined, ELSEWHERE, 'nothing'],
    ['was, until lately', Date.now() - 1, BACK, '1.0.0'],
  ])('where what ran before %s', (_, until, told, to) => {
    const home = homeAfter((state) => {
      state.report(LIDAR, '0.9.0', 1);
      const action = {
        kind: 'restart-and-upgrade',
        target: LIDAR,
        from: '0.9.0',
        to: '1.0.0',
      } as const;
      const [{ id } = { id: '' }] = state.commit(
        [
          {
            ...action,
            artifact: undefined,
            direction: 'upgrade',
            stops: [],
            reason: { kind: 'pin-url', text: '' },
            decidedAt: 1,
            restart: { of: 'modules', targets: [], stops: [] },
          },
        ],
        [],
        1,
      );
      state.deliver(id, 1);
      const failed = { kind: 'failed', reason: '', running: '1.0.0', blame: 'release' } as const;
      state.acknowledge(id, failed, { at: 1, quarantineUntil: until, retryAt: 1 });
      machine(state, { ran: ['1.1.0'] });
    });
    expect(rollback(home, 'acme:lidar').stdout).toBe(`acme:lidar ${told}`);
    expect(rememberedIn(home)[2]).toBe(`acme:lidar 1.1.0 rolled back to ${to}`);
  });

  it.each([
    ['1.*', '1.0.0'],
    ['1.1.*', null],
  ])('--json within %s', (constraint, to) => {
    const { stdout, stderr, exit } = rollback(homeOf({ constraint }), 'acme:lidar', '--json');
    expect([stderr, exit]).toEqual(['', 0]);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/rollback@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      from: '1.1.0',
      to,
    });
  });

  it.each<[string, Lidar, readonly string[], { stderr: string; exit: number }]>([
    [
      'a pinned module',
      { constraint: '1.1.0' },
      ['acme:lidar'],
      {
        stderr: `error[USAGE]: acme:lidar is pinned to 1.1.0, so no other version may replace it
hint: pin the version that should run
`,
        exit: 2,
      },
    ],
    [
      'a module that is not there',
      { ran: ['1.0.0', null] },
      ['acme:lidar'],
      {
        stderr:
          'error[DEPLOYED_UNKNOWN]: acme:lidar: deployed is none, but only a version can be rolled back\n',
        exit: 1,
      },
    ],
    [
      'a module of which nobody says what runs',
      { ran: ['1.0.0', undefined] },
      ['acme:lidar', '--json'],
      {
        stderr: `{"error":{"code":"DEPLOYED_UNKNOWN","message":"acme:lidar: deployed is unknown, but only a version can be rolled back","input":null,"because":[],"suggestion":null,"hint":null}}\n`,
        exit: 1,
      },
    ],
    [
      'a module from an address',
      { ran: ['1.0.0', 'https://user:CANARY@builds.example/x?key=CANARY'] },
      ['acme:lidar'],
      {
        stderr:
          'error[DEPLOYED_UNKNOWN]: acme:lidar: deployed is https://builds.example/x, but only a version can be rolled back\n',
        exit: 1,
      },
    ],
    [
      'a name that is nearly one',
      {},
      ['acme-lidar'],
      {
        stderr: `error[UNKNOWN_REFERENCE]: "acme-lidar" names no module or subsystem that this machine's poller decides on
  did you mean acme:lidar ?
`,
        exit: 1,
      },
    ],
    [
      'a name that is nothing like one',
      {},
      ['every\u001bthing'],
      {
        stderr:
          'error[UNKNOWN_REFERENCE]: "every\\u{1b}thing" names no module or subsystem that this machine\'s poller decides on\n',
        exit: 1,
      },
    ],
    [
      'no name',
      {},
      [],
      {
        stderr: "error[USAGE]: missing required argument 'module'\nhint: modreg --help shows how\n",
        exit: 2,
      },
    ],
  ])('refuses %s', (_, lidar, args, ended) => {
    const home = homeOf(lidar);
    const before = contentsOf(home);
    expect(rollback(home, ...args)).toEqual({ stdout: '', ...ended });
    expect(contentsOf(home)).toEqual(before);
  });
});

describe('what several entries are called', () => {
  it('is told apart by the names of the entries', () => {
    const home = homeAfter((state) => {
      machine(state, {});
      const rear = logged('rear', { moduleId: 'acme:lidar' });
      state.report(moduleNamed('rear', 'acme:lidar'), '1.1.0', 1);
      state.log([logged('acme_lidar'), rear], ROUND);
    });
    expect(rollback(home, 'acme:lidar')).toEqual({
      stdout: '',
      stderr:
        'error[USAGE]: "acme:lidar" names several entries\nhint: name one: acme_lidar, rear\n',
      exit: 2,
    });
    expect(rollback(home, 'rear')).toMatchObject({
      stdout: expect.stringMatching(/^acme:lidar \(rear\) rolls back from 1\.1\.0 at /) as string,
      exit: 0,
    });
    expect(rememberedIn(home)).toEqual([
      '1.1.0 after 1.0.0',
      'acme:lidar 1.1.0 rolled back to nothing',
    ]);
  });

  it('a module that is called like a subsystem is told apart from it', () => {
    const home = homeAfter((state) => {
      machine(state, {});
      const namesake = logged('platform-agent', { kind: 'module', moduleId: 'acme:agent' });
      state.log([namesake, logged('platform-agent')], ROUND);
    });
    // [bug] The hint was to name one of: platform-agent, platform-agent.
    expect(rollback(home, 'platform-agent').stderr).toBe(
      'error[USAGE]: "platform-agent" names several entries\nhint: name one: acme:agent, platform:agent\n',
    );
  });
});

describe('what a rollback cannot change', () => {
  it.each([
    ['acme_lidar', undefined, 'disabled', 'disabled by disable_subsystem'],
    ['acme_lidar', undefined, 'local', 'local: it is on this machine only'],
    ['platform-agent', 'https://builds.example/agent', 'hold', 'cooling down after a restart'],
  ])('is not promised to go back: %s %s %s', (name, constraint, decision, reason) => {
    const home = homeAfter((state) => {
      machine(state, {});
      state.log([logged(name, { constraint, decision, reason })], ROUND);
    });
    // [bug] It was said to go back with the next decision, which does not look at what failed.
    expect(rollback(home, name).stdout).toBe('');
    expect(rememberedIn(home)).toEqual(['1.1.0 after 1.0.0']);
  });

  it('a newer version that ran before is not where it stays', () => {
    const home = homeOf({ ran: ['1.2.0', '1.1.0'] });
    // [bug] It was said to stay at 1.2.0 until a release above 1.1.0 is published.
    expect(rollback(home, 'acme:lidar').stdout).not.toMatch(/to 1\.2\.0 .*stays there/);
  });
});
