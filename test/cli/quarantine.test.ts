import { describe, expect, it } from 'vitest';
import type { ActionOutcome } from '../../src/store/index.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { commitOne, moduleNamed } from '../support/claimed.ts';
import { moduleId, version } from '../support/ask.ts';
import { contentsOf, homeAfter, polledHome, rememberedIn } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import type { Ended } from '../support/modreg.ts';

const THEN = Date.parse('2026-11-20T01:02:03Z');
const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const ARM = moduleNamed('acme_arm', 'acme:arm');

interface Failed {
  readonly to: string;
  readonly until?: number;
  readonly digest?: string | undefined;
  readonly reason?: string;
}

/** Delivers an action for a version, and acknowledges that the version failed. */
function fail(state: MachineState, { to, until, digest, reason = 'no light' }: Failed): void {
  const artifact = digest === undefined ? undefined : { platform: 'any', digest };
  const { id } = commitOne(state, { target: LIDAR, to, artifact });
  state.deliver(id, THEN);
  const outcome: ActionOutcome = { kind: 'failed', reason, running: '1.0.0', blame: 'release' };
  state.acknowledge(id, outcome, { at: THEN, quarantineUntil: until, retryAt: THEN });
}

/** Creates an entry of every kind. */
function quarantineEveryKind(state: MachineState): void {
  fail(state, { to: '1.1.0', digest: 'sha256:aa' });
  fail(state, { to: '1.2.0', reason: 'no\nlight\u001b[2J' });
  fail(state, { to: '1.3.0', until: Date.parse('2199-01-01T00:00:00Z'), digest: 'sha256:aa' });
  fail(state, { to: '1.4.0', until: THEN + 1 });
  state.report(ARM, '2.0.0', THEN);
  state.rollBack(
    ARM,
    { from: version('2.0.0'), to: version('1.9.0') },
    { at: THEN, until: undefined },
  );
  state.report(ARM, '2.1.0', THEN);
  state.rollBack(
    ARM,
    { from: version('2.1.0'), to: undefined },
    { at: THEN + 1, until: undefined },
  );
}

async function quarantine(home: string, ...args: readonly string[]): Promise<Ended> {
  return await inProcess(['quarantine', ...args], { PLATFORM_HOME: home });
}

describe('modreg quarantine list', () => {
  it('shows the refused versions, the reasons, and until when', async () => {
    const home = homeAfter(quarantineEveryKind);
    const before = contentsOf(home);
    const listed = await quarantine(home, 'list');
    expect({
      ...listed,
      stdout: listed.stdout.replace(/\(in \d{5} d( \d+ h)?\) */, '(in SOME)  '),
    }).toEqual({
      stdout: `  MODULE       VERSION   SINCE                  UNTIL                                     WHY
  acme:arm     2.0.0     2026-11-20T01:02:03Z   an operator lifts it                      rolled back by an operator; every version above 1.9.0 is refused with it
  acme:arm     2.1.0     2026-11-20T01:02:03Z   an operator lifts it                      rolled back by an operator
  acme:lidar   1.1.0     2026-11-20T01:02:03Z   an operator lifts it, or another digest   no light
  acme:lidar   1.2.0     2026-11-20T01:02:03Z   an operator lifts it                      no\\u{a}light\\u{1b}[2J
  acme:lidar   1.3.0     2026-11-20T01:02:03Z   2199-01-01T00:00:00Z (in SOME)  no light
  acme:lidar   1.4.0     2026-11-20T01:02:03Z   expired                                   no light
`,
      stderr: '',
      exit: 0,
    });
    expect(contentsOf(home)).toEqual(before);
  });

  it('prints the same as data with --json', async () => {
    const { stdout, stderr, exit } = await quarantine(
      homeAfter(quarantineEveryKind),
      'list',
      '--json',
    );
    expect([stderr, exit]).toEqual(['', 0]);
    const failed = {
      module_id: 'acme:lidar',
      digest: null,
      since: '2026-11-20T01:02:03Z',
      until: null,
      reason: 'no light',
      rolled_back: false,
      rolled_back_to: null,
      refused: null,
      failed_in: [{ name: 'acme_lidar', undecided: false, same_as: null }],
    };
    const rolled = {
      module_id: 'acme:arm',
      reason: 'rolled back by an operator',
      rolled_back: true,
      failed_in: null,
    };
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/quarantine@1',
      quarantine: [
        { ...failed, ...rolled, version: '2.0.0', rolled_back_to: '1.9.0' },
        { ...failed, ...rolled, version: '2.1.0', since: '2026-11-20T01:02:03.001Z' },
        { ...failed, version: '1.1.0', digest: 'sha256:aa' },
        { ...failed, version: '1.2.0', reason: 'no\nlight\u001b[2J' },
        { ...failed, version: '1.3.0', digest: 'sha256:aa', until: '2199-01-01T00:00:00Z' },
        { ...failed, version: '1.4.0', until: '2026-11-20T01:02:03.001Z' },
      ],
    });
  });

  it.each([
    [[], 'nothing is in quarantine\n'],
    [['--json'], '{"schema":"modreg/quarantine@1","quarantine":[]}\n'],
  ])('shows that nothing is in quarantine %j', async (options, stdout) => {
    const home = homeAfter(() => undefined);
    expect(await quarantine(home, 'list', ...options)).toEqual({ stdout, stderr: '', exit: 0 });
  });
});

describe('modreg quarantine lift', () => {
  it.each([
    [[], 'acme:lidar 1.1.0 may be selected again\n'],
    [
      ['--json'],
      '{"schema":"modreg/quarantine-lift@1","module_id":"acme:lidar","version":"1.1.0"}\n',
    ],
  ])('lifts one of two entries while a poller has the file open %j', async (options, stdout) => {
    const { home, state } = polledHome();
    fail(state, { to: '1.1.0' });
    fail(state, { to: '1.2.0' });
    expect(await quarantine(home, 'lift', 'acme:lidar', '1.1.0', ...options)).toEqual({
      stdout,
      stderr: '',
      exit: 0,
    });
    expect(rememberedIn(home)).toEqual(['1.0.0 after nothing', 'acme:lidar 1.2.0']);
    expect(state.memory().quarantine).toMatchObject([{ version: '1.2.0' }]);
  });

  it.each<[string, readonly string[], string, number]>([
    [
      'a version that is not in quarantine',
      ['acme:lidar', '1.5.0'],
      `error[UNKNOWN_VERSION]: acme:lidar 1.5.0 is not in quarantine on this machine
hint: in quarantine: acme:arm 2.0.0, acme:arm 2.1.0, acme:lidar 1.1.0, acme:lidar 1.2.0, acme:lidar 1.3.0
`,
      1,
    ],
    [
      'another build of a version in quarantine',
      ['acme:lidar', '1.1.0+exp', '--json'],
      `{"error":{"code":"UNKNOWN_VERSION","message":"acme:lidar 1.1.0+exp is not in quarantine on this machine","input":null,"because":[],"suggestion":null,"hint":"in quarantine: acme:arm 2.0.0, acme:arm 2.1.0, acme:lidar 1.1.0, acme:lidar 1.2.0, acme:lidar 1.3.0"}}
`,
      1,
    ],
    [
      'neither a module_id nor a version',
      ['lidar', '1.x'],
      `error[BAD_MODULE_ID]: "lidar" is not a module id
  lidar
       ^ expected a letter, a digit, "_", "-" or ":", as in <namespace>:<name>
error[BAD_VERSION]: "1.x" is not a version
  1.x
    ^ expected a number
`,
      2,
    ],
    [
      'no version',
      ['acme:lidar'],
      "error[USAGE]: missing required argument 'version'\nhint: modreg quarantine lift --help shows how\n",
      2,
    ],
  ])('refuses %s', async (_, args, stderr, exit) => {
    const home = homeAfter(quarantineEveryKind);
    const before = contentsOf(home);
    expect(await quarantine(home, 'lift', ...args)).toEqual({ stdout: '', stderr, exit });
    expect(contentsOf(home)).toEqual(before);
  });

  it.each<[string, readonly string[], readonly string[], string]>([
    ['that refuses no other', [], [], '1.3.0 may be selected again'],
    [
      'that alone refuses two others',
      ['1.2.0', '1.2.1'],
      [],
      '1.3.0 may be selected again, and so may the 2 versions refused with it',
    ],
    [
      'whose other version is in quarantine itself',
      ['1.2.0'],
      ['1.2.0'],
      '1.3.0 may be selected again; still refused: 1.2.0',
    ],
    [
      'one of whose others is in quarantine itself',
      ['1.2.0', '1.2.1'],
      ['1.2.0'],
      '1.3.0 may be selected again, and so may 1 of the 2 versions refused with it; still refused: 1.2.0',
    ],
    [
      'that a second rollback overlaps',
      ['1.2.0', '1.2.1'],
      ['1.4.0 refuses 1.3.0 1.2.1'],
      '1.3.0 was lifted, but the rollback from 1.4.0 still refuses it; still refused: 1.2.1',
    ],
  ])('counts what may be selected after a rollback %s', async (_, others, entries, line) => {
    const terms = { at: THEN, until: undefined };
    const to = version('1.1.0');
    const home = homeAfter((state) => {
      state.report(LIDAR, '1.3.0', THEN);
      const refused = new Set(['1.3.0', ...others]);
      state.rollBack(LIDAR, { from: version('1.3.0'), to, refused }, terms);
      for (const entry of entries) {
        const [text = '', ...also] = entry.replace(' refuses', '').split(' ');
        state.report(LIDAR, text, THEN);
        if (also.length === 0) fail(state, { to: text });
        else state.rollBack(LIDAR, { from: version(text), to, refused: new Set(also) }, terms);
      }
      // Entries of another module refuse none of them.
      const arm = { moduleId: moduleId('acme:arm'), since: THEN, until: undefined };
      for (const text of ['1.2.1', '1.3.0']) {
        state.quarantine({ ...arm, version: text, reason: 'no light' });
      }
    });
    expect(await quarantine(home, 'lift', 'acme:lidar', '1.3.0')).toEqual({
      stdout: `acme:lidar ${line}\n`,
      stderr: '',
      exit: 0,
    });
  });

  it('refuses any version if nothing is in quarantine', async () => {
    expect(
      await quarantine(
        homeAfter(() => undefined),
        'lift',
        'acme:lidar',
        '1.1.0',
      ),
    ).toEqual({
      stdout: '',
      stderr:
        'error[UNKNOWN_VERSION]: acme:lidar 1.1.0 is not in quarantine on this machine\nhint: no version is in quarantine\n',
      exit: 1,
    });
  });

  it('refuses quarantine without a subcommand', async () => {
    expect(await inProcess(['quarantine'])).toEqual({
      stdout: '',
      stderr: 'error[USAGE]: no command is named\nhint: modreg quarantine --help shows how\n',
      exit: 2,
    });
  });
});
