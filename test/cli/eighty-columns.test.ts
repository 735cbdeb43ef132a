import { describe, expect, it } from 'vitest';
import { wrapped } from '../../src/cli/base/wrap.ts';
import { runCommandLine } from '../../src/cli/program.ts';
import type { World } from '../../src/base/world.ts';
import { day, HOUR } from '../support/day.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { entry } from '../support/planned.ts';
import { preparedMachine } from '../support/prepared-machine.ts';
import { published } from '../support/published.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-25T12:00:00Z');
const WIDTH = 80;
const LONG = 'front-lidar-driver-of-the-second-generation-for-warehouse-yards';
const MACHINE = `rover-${'of-the-second-generation-'.repeat(2)}in-the-yard`;
const TEXT = 'the self-test failed: loop closure diverged after 40 s at '.repeat(6);
const CLOSED = { maintenance: [{ start: '0 2 * * *', duration: '1h', time_zone: 'UTC' }] };

/** The lines that a terminal of 80 columns shows. */
async function shown(args: readonly string[], world: World): Promise<readonly string[]> {
  const { answer, notes } = await runCommandLine(args, { ...world, columns: WIDTH });
  return [...answer, ...notes].flatMap((line) => wrapped(line, WIDTH));
}

/** The lines that are too long, but for those with a single word. */
function tooLong(lines: readonly string[]): string[] {
  return lines.filter((line) => line.length > WIDTH && line.trim().includes(' '));
}

describe('[D472] no line is over 80 columns, unless it is a single word', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['plan', ['PATH'], [`acme:${LONG}`, '1.0.0', '1.1.0', 'acme:arm']],
    ['status', [], [`acme:${LONG}`, '1.0.0', '1.1.0', 'acme:arm']],
    ['agent status', [], [`acme_${LONG}`, 'acme_arm']],
    ['doctor', ['PATH'], [`acme_${LONG}`]],
  ])('modreg %s', async (command, args, names) => {
    const { world, path } = await preparedMachine(
      { deployed: { [LONG]: '1.0.0', arm: '1.1.0' }, policy: CLOSED, failing: 'arm' },
      NOW,
    );
    const given = args.map((one) => (one === 'PATH' ? path : one));
    const lines = await shown([...command.split(' '), ...given], world);
    expect(tooLong(lines)).toEqual([]);
    // Nothing before the last column is shortened.
    for (const name of names) expect(lines.join('\n')).toContain(name);
  });

  it('modreg why', async () => {
    const machine = await day({
      machine: { modules: [entry(`acme:${LONG}`, '1.2.*')] },
      deployed: { [`acme_${LONG}`]: '1.2.3' },
      releases: { [`acme:${LONG}`]: [{ version: '1.2.3' }, { version: '1.2.4' }] },
      policy: CLOSED,
      intervalMs: HOUR,
    });
    await machine.pass(24 * HOUR);
    const environment = { PLATFORM_HOME: machine.home };
    const now = machine.clock.now();
    const world = { ...quietWorld('linux/arm64'), environment, clock: () => now };
    const lines = await shown(['why', `acme:${LONG}`], world);
    expect(lines.join(' ')).toContain('held the upgrade');
    expect(tooLong(lines)).toEqual([]);
  });

  it.each<[readonly string[], readonly string[]]>([
    [['fleet', 'status'], [`acme:${LONG}`]],
    [
      ['fleet', 'machines'],
      [`acme:${LONG}`, 'acme:arm', MACHINE],
    ],
    [
      ['fleet', 'failures'],
      [`acme:${LONG}`, MACHINE],
    ],
    [
      ['registry', 'show', `acme:${LONG}`],
      [`acme:${LONG}`, '1.0.0-rc.1+a-build'],
    ],
    [
      ['registry', 'outcomes', `acme:${LONG}`],
      [`acme:${LONG}`, MACHINE],
    ],
  ])('modreg %j', async (args, names) => {
    const { world, address } = await fleet();
    const lines = await shown([...args, '--registry', address], world);
    expect(tooLong(lines)).toEqual([]);
    for (const name of names) expect(lines.join('\n')).toContain(name);
  });
});

/** A registry to which a machine with two modules has reported. */
async function fleet(): Promise<{ readonly world: World; readonly address: string }> {
  const { address, catalogue } = await loopbackRegistry();
  published({ catalogue }, `acme:${LONG}`, '1.0.0', '1.0.0-rc.1+a-build');
  const token = tokenFor(catalogue, [`machine:${MACHINE}`], 'rover');
  const about = { version: '1.3.0', blame: 'machine', attempts: 4 };
  const failing = { ...about, reason: TEXT, next_at: null };
  const name = { name: `acme_${LONG}`, module_id: `acme:${LONG}` };
  const state = reportedState(
    1,
    { ...name, decision: 'stuck', reason: TEXT, failing },
    { name: 'acme_arm', module_id: 'acme:arm' },
  );
  const report = machineReport([1], { state });
  const failed = { ...name, to: '1.3.0', result: 'failed', reason: TEXT } as const;
  const outcomes = report.outcomes.map((one) => ({ ...one, ...failed }));
  const answer = await fetch(`${address}/v1/machines/${MACHINE}/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...report, outcomes }),
  });
  expect(await answer.json()).toEqual({ known_to: 1 });
  const environment = {
    MODREG_TOKEN: tokenFor(catalogue, ['fleet:read', 'outcomes:acme'], 'reader'),
  };
  return { world: { ...quietWorld('linux/arm64'), environment, clock: Date.now }, address };
}

it('[D472] the first lines of a plan end where its parts do', async () => {
  const rover = 'examples/rover';
  const report = ['--deployed', `${rover}/deployed.json`, '--at', '2026-11-21T12:00:00Z'];
  const plan = ['plan', `${rover}/machine.json`, ...report, '--platform', 'linux/arm64'];
  expect((await shown(plan, quietWorld('linux/arm64'))).slice(0, 4)).toEqual([
    'examples/rover/machine.json   4 modules',
    'as of 2026-11-21T12:00:00Z (13:00 Europe/Berlin)',
    'lists from "examples/rover/registry"',
    '',
  ]);
});

it('[D472] fleet machines names a machine once, and its further modules below it', async () => {
  const { world, address } = await fleet();
  const lines = await shown(['fleet', 'machines', '--registry', address], world);
  expect(lines.filter((line) => /^ {2}\S|MODULE|MACHINE/.test(line))).toEqual([
    `  ${MACHINE}`,
    '      MODULE    acme:arm',
    // The name is on the next line.
    '      MODULE',
  ]);
});
