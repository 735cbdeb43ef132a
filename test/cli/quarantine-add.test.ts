import { describe, expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ask } from '../support/history.ts';
import { homeAfter, logged, rememberedIn } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import { entry } from '../support/planned.ts';

/** A machine on which 1.3.0 is deployed after 1.2.9, in Berlin. */
async function machineWith(constraint = '1.*'): Promise<Day> {
  const window = { start: '0 2 * * *', duration: '1h', time_zone: 'Europe/Berlin' };
  const machine = await day({
    machine: { modules: [entry('acme:lidar', constraint)] },
    policy: { maintenance: [window] },
    deployed: { acme_lidar: '1.2.9' },
    intervalMs: 10 * MINUTE,
    releases: { 'acme:lidar': ['1.2.9', '1.3.0'].map((version) => ({ version })) },
  });
  await machine.pass(HOUR);
  await machine.deliveries.shift()?.done();
  await machine.pass(HOUR);
  return machine;
}

describe('modreg quarantine add', () => {
  it.each(['acme:lidar', 'acme_lidar'])('rolls the deployed version of %s back', async (named) => {
    const machine = await machineWith();
    const reason = ['--reason', 'stops the motor'];
    expect(await ask(machine, 'quarantine', 'add', named, '1.3.0', ...reason)).toEqual({
      answer: [
        'acme:lidar 1.3.0 is refused on this machine until an operator lifts it',
        '  acme:lidar: rollback to 1.2.9: 1.3.0 was refused by an operator (stops the motor); 1.2.9 was deployed before it',
      ],
      problems: [],
      exit: 0,
    });
    machine.poller.look();
    await machine.pass(SECOND);
    await machine.deliveries.shift()?.done();
    expect(rememberedIn(machine.home)).toEqual(['1.2.9 after 1.3.0', 'acme:lidar 1.3.0']);
    expect((await ask(machine, 'quarantine', 'lift', named, '1.3.0')).answer).toEqual([
      'acme:lidar 1.3.0 may be selected again',
    ]);
    expect(rememberedIn(machine.home)).toEqual(['1.2.9 after 1.3.0']);
  });

  it('refuses another version for a time', async () => {
    const machine = await machineWith();
    const args = ['quarantine', 'add', 'acme:lidar', '1.4.0', '--for', '1h', '--json'];
    const { answer, exit } = await ask(machine, ...args);
    expect(JSON.parse(answer.join(''))).toEqual({
      schema: 'modreg/quarantine-add@1',
      module_id: 'acme:lidar',
      version: '1.4.0',
      until: '2026-11-21T04:02:03Z',
      reason: 'quarantined by an operator',
      decisions: [
        {
          name: 'acme_lidar',
          decision: 'up-to-date',
          target: '1.3.0',
          reason: 'already the newest release of 1',
        },
      ],
    });
    expect(exit).toBe(0);
    machine.publish('acme:lidar', '1.4.0');
    await machine.pass(11 * MINUTE);
    const { answer: told } = await ask(machine, 'status');
    expect(told.find((line) => line.startsWith('  acme:lidar   1.*'))).toContain(
      'stays at 1.3.0: 1.4.0 is quarantined on this machine until 2026-11-21T04:02:03Z (05:02 Europe/Berlin, in 49 min) (quarantined by an operator)',
    );
  });

  it('warns of a version that no list has', async () => {
    const machine = await machineWith();
    const warned = async (version: string): Promise<readonly string[]> =>
      (await ask(machine, 'quarantine', 'add', 'acme:lidar', version)).problems;
    expect(await warned('9.9.9')).toEqual([
      'no release list that this machine has read contains acme:lidar 9.9.9; it is refused if it is published',
    ]);
    expect(await warned('1.2.9')).toEqual([]);
  });

  it('does not end a rollback of the same version', async () => {
    const machine = await machineWith();
    await ask(machine, 'rollback', 'acme:lidar');
    expect(await ask(machine, 'quarantine', 'add', 'acme:lidar', '1.3.0')).toEqual({
      answer: [],
      problems: [
        'acme:lidar 1.3.0 is refused already, by a rollback on this machine; nothing was changed',
      ],
      exit: 2,
    });
  });

  it.each<[readonly string[], RegExp, number]>([
    [['acme:arm', '2.0.0'], /^note: modreg quarantine lift acme:arm 2.0.0 undoes this\n$/, 0],
    [['lidar', '1.x'], /^error\[BAD_MODULE_ID\]/, 2],
    [['acme:arm', '2.0'], /^error\[BAD_VERSION\]/, 2],
    [
      ['acme:arm', '2.0.0', '--for', '0s'],
      /^error\[USAGE\]: --for: a quarantine that lasts no time does nothing/,
      2,
    ],
    [['acme:arm', '2.0.0', '--for', 'soon'], /^error\[USAGE\]: --for: "soon" is not a duration/, 2],
  ])('of a module without decisions: %j', async (args, stderr, exit) => {
    const home = homeAfter(() => undefined);
    const ended = await inProcess(['quarantine', 'add', ...args], { PLATFORM_HOME: home });
    expect(ended.stderr).toMatch(stderr);
    expect(ended.exit).toBe(exit);
    expect(rememberedIn(home).slice(1)).toEqual(exit === 0 ? ['acme:arm 2.0.0'] : []);
  });
});

describe('modreg quarantine add of a module that this machine does not have (T216)', () => {
  it.each<[string, string, string]>([
    ['a typing mistake', 'acme:lidra', '  did you mean acme:lidar ?\n'],
    ['another module', 'nosuch:mod', ''],
  ])('refuses %s', async (_, moduleId, suggestion) => {
    const decisions = [logged('acme_lidar'), logged('acme_arm', { moduleId: 'acme:arm' })];
    const PLATFORM_HOME = homeAfter((state) => state.log(decisions, { at: 1, trouble: undefined }));
    expect(await inProcess(['quarantine', 'add', moduleId, '1.0.0'], { PLATFORM_HOME })).toEqual({
      stdout: '',
      stderr: `error[UNKNOWN_REFERENCE]: no module of this machine has the id ${moduleId}; nothing was changed
${suggestion}hint: this machine has acme:lidar, acme:arm
`,
      exit: 1,
    });
    expect(rememberedIn(PLATFORM_HOME).slice(1)).toEqual([]);
  });
});

it.each([
  ['add', 'lidr'],
  ['lift', 'lidr'],
])('[T216] modreg quarantine %s of %s names the entry that was meant', async (action, name) => {
  const decisions = [
    logged('lidar', { moduleId: 'acme:lidar' }),
    logged('arm', { moduleId: 'acme:arm' }),
  ];
  const PLATFORM_HOME = homeAfter((state) => state.log(decisions, { at: 1, trouble: undefined }));
  expect(await inProcess(['quarantine', action, name, '1.0.0'], { PLATFORM_HOME })).toEqual({
    stdout: '',
    stderr: `error[BAD_MODULE_ID]: "lidr" is not a module id
  lidr
      ^ expected a letter, a digit, "_", "-" or ":", as in <namespace>:<name>
  did you mean lidar ?
`,
    exit: 2,
  });
});

describe('modreg resolve --explain --machine', () => {
  const LIST = JSON.stringify({ releases: [{ version: '1.3.0' }, { version: '1.2.9' }] });
  const folder = (): string => temporaryFolder({ 'acme/lidar.json': LIST });

  it('shows what this machine refuses', async () => {
    const machine = await machineWith();
    await ask(machine, 'quarantine', 'add', 'acme:lidar', '1.3.0', '--reason', 'no light');
    const resolve = ['resolve', 'acme:lidar', '1.*', '--explain', '--registry', folder()];
    expect((await ask(machine, ...resolve)).answer.slice(-2)).toEqual([
      '  1.3.0  YES  newest release of 1',
      '  1.2.9  no   older than 1.3.0',
    ]);
    const { answer } = await ask(machine, ...resolve, '--machine');
    expect(answer.slice(-2)).toEqual([
      '  1.3.0  no   quarantined on this machine (no light)',
      '  1.2.9  YES  newest release of 1 that may be selected',
    ]);
    expect(answer).toContain('  machine      what this one refuses for acme_lidar');
  });

  it('applies the minimum age of its policy, and its rules for files (D36)', async () => {
    const machine = await day({
      machine: { modules: [entry('acme:lidar', '1.*')] },
      policy: { minimum_release_age: '14d' },
      deployed: { acme_lidar: '1.2.9' },
      releases: { 'acme:lidar': [{ version: '1.2.9' }] },
    });
    await machine.pass(HOUR);
    const long = '2026-01-01T00:00:00Z';
    const artifacts = [{ platform: 'any', url: 'https://files.example/lidar' }];
    const list = [
      { version: '1.5.0', published_at: '2026-11-20T00:00:00Z' },
      { version: '1.4.0', published_at: long, artifacts },
      { version: '1.2.9', published_at: long },
    ];
    const registry = temporaryFolder({ 'acme/lidar.json': JSON.stringify({ releases: list }) });
    const resolve = ['resolve', 'acme:lidar', '1.*', '--explain', '--registry', registry];
    expect((await ask(machine, ...resolve, '--machine')).answer.slice(-3)).toEqual([
      '  1.5.0  no   too young until 2026-12-04T00:00:00Z',
      '  1.4.0  no   untrusted artifact: its file has no digest',
      '  1.2.9  YES  newest release of 1 that may be selected',
    ]);
  });

  it('needs the state of the machine, and a decision about the module', async () => {
    const machine = await machineWith();
    const resolve = ['resolve', 'acme:arm', '1.*', '--machine', '--registry', folder()];
    expect(await ask(machine, ...resolve)).toEqual({
      answer: [],
      problems: ['"acme:arm" names no module or subsystem that this machine decides on'],
      exit: 1,
    });
    expect((await ask(temporaryFolder(), ...resolve)).exit).toBe(70);
  });
});
