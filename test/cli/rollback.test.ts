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
import { inProcess } from '../support/in-process.ts';
import type { Ended } from '../support/modreg.ts';

const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const ROUND = { at: 1, trouble: undefined };

interface Lidar {
  readonly constraint?: string | undefined;
  /** The reported deployed versions, oldest first. */
  readonly deployed?: readonly (string | null | undefined)[];
}

/** Records the deployed versions of a lidar and an agent, and the constraints that the poller read. */
function machine(
  state: MachineState,
  { constraint = '1.*', deployed = ['1.0.0', '1.1.0'] }: Lidar,
): void {
  for (const version of deployed) state.report(LIDAR, version, 1);
  for (const version of ['0.9.0', '0.9.1']) state.report(AGENT, version, 1);
  const agent = logged('platform-agent', { constraint: 'stable' });
  state.log([logged('acme_lidar', { constraint }), agent], ROUND);
}

function homeOf(lidar: Lidar = {}): string {
  return homeAfter((state) => machine(state, lidar));
}

async function rollback(home: string, ...args: readonly string[]): Promise<Ended> {
  return await inProcess(['rollback', ...args], { PLATFORM_HOME: home });
}

const PREVIOUS = `rolls back from 1.1.0 to 1.0.0 at the next start of the agent
  its release list is not known here, so every version above 1.0.0 and up to 1.1.0 is refused; a higher one may replace 1.0.0
`;
const POLLED = PREVIOUS.replace('at the next start of the agent', 'within a second');
const REFUSED = `error[NO_MATCH]: acme:lidar cannot be rolled back from 1.1.0: no lower release may be selected; nothing was changed
  because its release list is not known here, and no lower previous version may be selected
hint: pin the version that should run
`;
const LIFT = 'note: modreg quarantine lift acme:lidar 1.1.0 undoes this\n';

describe('[D32] modreg rollback without a saved list', () => {
  it.each(['acme_lidar', 'acme:lidar'])(
    '[D386] rolls back the module %s within a second if a process polls',
    async (named) => {
      const { home, state } = polledHome();
      machine(state, {});
      expect(await rollback(home, named)).toEqual({
        stdout: `acme:lidar ${POLLED}`,
        stderr: LIFT,
        exit: 0,
      });
      const remembered = ['1.1.0 after 1.0.0', 'acme:lidar 1.1.0 rolled back to 1.0.0'];
      expect(rememberedIn(home)).toEqual(remembered);
      // The poller sees the rollback in its file.
      expect(state.memory().of(LIDAR).quarantine).toMatchObject([{ version: '1.1.0' }]);
      expect((await rollback(home, named)).stdout).toBe(`acme:lidar ${POLLED}`);
      expect(rememberedIn(home)).toEqual(remembered);
    },
  );

  it.each(['platform-agent', 'platform:agent'])(
    '[D386] rolls back the subsystem %s at the next start of the agent if none runs',
    async (named) => {
      const home = homeOf();
      expect(await rollback(home, named)).toEqual({
        stdout: `platform-agent rolls back from 0.9.1 to 0.9.0 at the next start of the agent
  its release list is not known here, so every version above 0.9.0 and up to 0.9.1 is refused; a higher one may replace 0.9.0
`,
        stderr: 'note: modreg quarantine lift platform:agent 0.9.1 undoes this\n',
        exit: 0,
      });
      expect(rememberedIn(home, 'platform-agent')).toEqual([
        '0.9.1 after 0.9.0',
        'platform:agent 0.9.1 rolled back to 0.9.0',
      ]);
    },
  );

  it.each<[string, Lidar, string, string | undefined]>([
    ['the previous version is outside the constraint', { constraint: '1.1.*' }, REFUSED, undefined],
    ['there is no previous version', { deployed: ['1.1.0'] }, REFUSED, undefined],
    [
      'the previous deployed text is not a version',
      { deployed: ['nightly', '1.1.0'] },
      REFUSED,
      undefined,
    ],
    ['it was removed in between', { deployed: ['1.0.0', null, '1.1.0'] }, PREVIOUS, '1.0.0'],
    ['the previous one is a prerelease', { deployed: ['1.1.0-rc.1', '1.1.0'] }, REFUSED, undefined],
    [
      'the previous version is a prerelease that the constraint accepts',
      { deployed: ['1.0.0-rc.1', '1.1.0'], constraint: 'latest-with-prerelease' },
      PREVIOUS.replaceAll('1.0.0', '1.0.0-rc.1'),
      '1.0.0-rc.1',
    ],
  ])('if %s', async (_, lidar, result, to) => {
    const home = homeOf(lidar);
    expect(await rollback(home, 'acme:lidar')).toEqual(
      to === undefined
        ? { stdout: '', stderr: result, exit: 1 }
        : { stdout: `acme:lidar ${result}`, stderr: LIFT, exit: 0 },
    );
    expect(rememberedIn(home)[1]).toBe(to && `acme:lidar 1.1.0 rolled back to ${to}`);
  });

  it.each([
    ['is in quarantine', undefined, REFUSED, undefined],
    ['was in quarantine until recently', Date.now() - 1, PREVIOUS, '1.0.0'],
  ])('if the previous version %s', async (_, until, result, to) => {
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
      machine(state, { deployed: ['1.1.0'] });
    });
    const { stdout, stderr } = await rollback(home, 'acme:lidar');
    expect([stdout, stderr]).toEqual(
      to === undefined ? ['', result] : [`acme:lidar ${result}`, LIFT],
    );
    expect(rememberedIn(home)[2]).toBe(to && `acme:lidar 1.1.0 rolled back to ${to}`);
  });

  it('prints one object with --json', async () => {
    const { stdout, stderr, exit } = await rollback(homeOf(), 'acme:lidar', '--json');
    expect([stderr, exit]).toEqual(['', 0]);
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/rollback@1',
      name: 'acme_lidar',
      module_id: 'acme:lidar',
      from: '1.1.0',
      to: '1.0.0',
      refused: null,
      until: null,
      afterwards: null,
      next_change: null,
      first: null,
      waits_for: null,
      replaces: null,
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
      'a module that is not deployed',
      { deployed: ['1.0.0', null] },
      ['acme:lidar'],
      {
        stderr:
          'error[DEPLOYED_UNKNOWN]: acme:lidar: the deployed version is none; only a version can be rolled back\n',
        exit: 1,
      },
    ],
    [
      'a module whose deployed version is not known',
      { deployed: ['1.0.0', undefined] },
      ['acme:lidar', '--json'],
      {
        stderr: `{"error":{"code":"DEPLOYED_UNKNOWN","message":"acme:lidar: the deployed version is unknown; only a version can be rolled back","input":null,"because":[],"suggestion":null,"hint":"the agent of this machine reports it; modreg poll takes it from --deployed <file>"}}\n`,
        exit: 1,
      },
    ],
    [
      'a module that was deployed from an address',
      { deployed: ['1.0.0', 'https://user:CANARY@builds.example/x?key=CANARY'] },
      ['acme:lidar'],
      {
        stderr:
          'error[DEPLOYED_UNKNOWN]: acme:lidar: the deployed version is https://builds.example/x; only a version can be rolled back\n',
        exit: 1,
      },
    ],
    [
      'a misspelt name',
      {},
      ['acme-lidar'],
      {
        stderr: `error[UNKNOWN_REFERENCE]: "acme-lidar" names no module or subsystem that this machine decides on
  did you mean acme:lidar ?
hint: this machine knows acme:lidar, platform-agent
`,
        exit: 1,
      },
    ],
    [
      'an unknown name',
      {},
      ['every\u001bthing'],
      {
        stderr:
          'error[UNKNOWN_REFERENCE]: "every\\u{1b}thing" names no module or subsystem that this machine decides on\nhint: this machine knows acme:lidar, platform-agent\n',
        exit: 1,
      },
    ],
    [
      'no name',
      {},
      [],
      {
        stderr:
          "error[USAGE]: missing required argument 'module'\nhint: modreg rollback --help shows how\n",
        exit: 2,
      },
    ],
  ])('refuses %s', async (_, lidar, args, ended) => {
    const home = homeOf(lidar);
    const before = contentsOf(home);
    expect(await rollback(home, ...args)).toEqual({ stdout: '', ...ended });
    expect(contentsOf(home)).toEqual(before);
  });
});

describe('a name that several entries have', () => {
  it('a module_id is refused with a hint that lists the names of the entries', async () => {
    const home = homeAfter((state) => {
      machine(state, {});
      const rear = logged('rear', { moduleId: 'acme:lidar' });
      const named = moduleNamed('rear', 'acme:lidar');
      for (const version of ['1.0.0', '1.1.0']) state.report(named, version, 1);
      state.log([logged('acme_lidar'), rear], ROUND);
    });
    expect(await rollback(home, 'acme:lidar')).toEqual({
      stdout: '',
      stderr:
        'error[USAGE]: "acme:lidar" names several entries\nhint: name one: acme_lidar, rear\n',
      exit: 2,
    });
    expect(await rollback(home, 'rear')).toMatchObject({
      stdout: expect.stringMatching(
        /^acme:lidar \(rear\) rolls back from 1\.1\.0 to 1\.0\.0 at /,
      ) as string,
      exit: 0,
    });
    expect(rememberedIn(home)).toEqual([
      '1.1.0 after 1.0.0',
      'acme:lidar 1.1.0 rolled back to 1.0.0',
    ]);
  });

  it('the name of a module and a subsystem is refused with a hint that lists their module_ids', async () => {
    const home = homeAfter((state) => {
      machine(state, {});
      const namesake = logged('platform-agent', { kind: 'module', moduleId: 'acme:agent' });
      state.log([namesake, logged('platform-agent')], ROUND);
    });
    // [bug] The hint listed platform-agent twice.
    expect((await rollback(home, 'platform-agent')).stderr).toBe(
      'error[USAGE]: "platform-agent" names several entries\nhint: name one: acme:agent, platform:agent\n',
    );
  });
});
