import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { carryOut } from '../../src/cli/poll/carry-out.ts';
import { programRecord } from '../../src/cli/poll/earlier-program.ts';
import { firstVersions } from '../../src/cli/poll/first-versions.ts';
import { PollReport } from '../../src/cli/poll/poll-report.ts';
import type { PlanDocuments } from '../../src/host/plan-documents.ts';
import type { World } from '../../src/base/world.ts';
import { readDeployed } from '../../src/core/index.ts';
import { passing, say, toldAs } from '../../src/core/text/time-words.ts';
import type { Delivery, PollerEvent } from '../../src/poller/index.ts';
import { AGENT, claimed, commitOne, LIDAR } from '../support/claimed.ts';
import { temporaryFolder } from '../support/folder.ts';
import { script } from '../support/polling.ts';
import { quietWorld } from '../support/quiet-world.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

/** A world whose log is in `lines`, and the words for three dropped lines in `dropped`. */
function logging(): {
  readonly world: World;
  readonly lines: string[];
  readonly dropped: string[];
} {
  const [lines, dropped]: string[][] = [[], []];
  const log: World['log'] = (stream, line, lost) => {
    lines?.push(`${stream} ${line}`);
    dropped?.push(lost(3));
  };
  const world = { ...quietWorld('linux/x64'), clock: () => NOON, log };
  return { world, lines: lines ?? [], dropped: dropped ?? [] };
}

function zoneOf(name: string): string | undefined {
  return name === 'lidar' ? 'Asia/Tokyo' : undefined;
}

/** A report in which the lidar has a time zone. */
function reportOn(world: World, options: { readonly json?: true } = {}): PollReport {
  return new PollReport(options, zoneOf, world);
}

describe('the log of modreg poll', () => {
  const { text, words } = toldAs(
    say`the maintenance window is closed until ${passing(Date.parse('2026-11-21T17:00:00Z'))}`,
  );
  // A cast: the log reads only these fields.
  const held = (target: object): PollerEvent => {
    const event = { kind: 'held', target, direction: 'upgrade', to: '1.1.0', text, words };
    return event as unknown as PollerEvent;
  };

  it('has times in the zone of the module', () => {
    const { world, lines, dropped } = logging();
    const report = reportOn(world);
    report.note('info', 'polling');
    report.about('lidar', 'warn', 'smoke');
    report.onEvent(held(LIDAR));
    report.onEvent(held(AGENT));
    expect(lines).toEqual([
      'stdout 2026-11-21T12:00:00.000Z info  polling',
      'stdout 2026-11-21T12:00:00.000Z warn  lidar: smoke',
      'stdout 2026-11-21T12:00:00.000Z info  lidar: the upgrade to 1.1.0 is held: the maintenance window is closed until 2026-11-21T17:00:00Z (2026-11-22 02:00 Asia/Tokyo, in 5 h)',
      'stdout 2026-11-21T12:00:00.000Z info  platform-agent: the upgrade to 1.1.0 is held: the maintenance window is closed until 2026-11-21T17:00:00Z (in 5 h)',
    ]);
    expect(dropped[0]).toBe(
      '2026-11-21T12:00:00.000Z warn  3 lines of this log were dropped, because they were not read',
    );
  });

  it('is a line of JSON for each event with --json', () => {
    const { world, lines, dropped } = logging();
    const report = reportOn(world, { json: true });
    const action = commitOne(claimed().state);
    const done = { kind: 'acknowledged', id: action.id, outcome: { kind: 'done' } } as PollerEvent;
    report.note('info', 'polling');
    report.about('lidar', 'warn', 'smoke');
    report.onEvent(held(LIDAR));
    report.onEvent({ kind: 'delivered', action, times: 1 });
    report.onEvent(done);
    // An action is acknowledged once.
    report.onEvent(done);
    const objects = [...lines.map((line) => line.replace(/^stdout /, '')), dropped[0] ?? ''];
    const common = { schema: 'modreg/poll@1', time: '2026-11-21T12:00:00Z', level: 'info' };
    const change = 'lidar: upgrade 1.0.0 → 1.1.0';
    expect(objects.map((line) => JSON.parse(line) as object)).toEqual([
      { ...common, event: 'poll', text: 'polling' },
      { ...common, level: 'warn', event: 'program', target: 'lidar', text: 'lidar: smoke' },
      {
        ...common,
        event: 'held',
        target: 'lidar',
        text: `lidar: the upgrade to 1.1.0 is held: ${text}`,
      },
      {
        ...common,
        event: 'delivered',
        target: 'lidar',
        action: action.id,
        text: `${change}: newest minor of 1`,
      },
      {
        ...common,
        event: 'acknowledged',
        target: 'lidar',
        action: action.id,
        text: `${change}: done`,
      },
      {
        ...common,
        level: 'warn',
        event: 'poll',
        text: '3 lines of this log were dropped, because they were not read',
      },
    ]);
  });
});

interface Trial {
  /** What the program does; undefined if it is not executable. */
  readonly does?: string;
  readonly deployed?: string | null;
  readonly environment?: Delivery['environment'];
  readonly signal?: AbortSignal;
  readonly stopping?: AbortSignal;
}

/** What is reported of an action after its program has run, and the log. */
async function triedOut({
  does = '',
  deployed = '1.0.0',
  environment = { ok: true, value: {} },
  signal = new AbortController().signal,
  stopping = new AbortController().signal,
}: Trial): Promise<{ readonly reported: unknown[]; readonly log: string[] }> {
  const file = claimed();
  file.state.report(LIDAR, deployed, 1);
  const action = commitOne(file.state, { from: deployed ?? undefined });
  const reported: unknown[] = [];
  const report = async (outcome: unknown): Promise<void> => {
    reported.push(outcome);
    await Promise.resolve();
  };
  // A cast: a program is run with these fields of a delivery.
  const delivery = {
    action,
    times: 1,
    entry: undefined,
    environment,
    folders: { root: undefined, data: undefined },
    signal,
    done: async () => await report('done'),
    failed: report,
  } as unknown as Delivery;
  const [{ world, lines }, folder] = [logging(), temporaryFolder()];
  await carryOut(delivery, {
    program: script(`${folder}/hook`, does),
    prepare: undefined,
    timeoutMs: 90_000,
    file,
    record: programRecord(`${folder}/none/record`),
    report: reportOn(world),
    world,
    stopping,
    killing: new AbortController().signal,
  });
  return { reported, log: lines.map((line) => line.replace(/^stdout \S+ /, '')) };
}

describe('what modreg poll reports of an action', () => {
  const UNSET = { kind: 'unset-variable', variable: 'LIDAR_KEY', reader: 'KEY\u001b' } as const;
  const FORBIDDEN = { kind: 'forbidden-variable', variable: 'X', reader: 'Y' } as const;
  const unset: Delivery['environment'] = { ok: false, error: [UNSET, FORBIDDEN] };
  const UNREAD = String.raw`LIDAR_KEY, which the variable KEY\u{1b} of the module reads, is not set; X, which the variable Y of the module reads, is a secret of the agent`;
  const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));

  it.each<[string, Trial, unknown[]]>([
    ['a program that succeeds', {}, ['done']],
    [
      'a module whose variables are not set',
      { environment: unset },
      [{ reason: UNREAD, running: '1.0.0', blame: 'machine' }],
    ],
    [
      'the same when nothing is deployed',
      { environment: unset, deployed: null },
      [{ reason: UNREAD, running: null, blame: 'machine' }],
    ],
    [
      'a release that fails',
      { does: 'echo no light >&2; exit 1' },
      [{ reason: 'no light', running: undefined, blame: 'release' }],
    ],
    [
      'a machine that is busy',
      { does: 'echo busy >&2; exit 75' },
      [{ reason: 'busy', running: '1.0.0', blame: 'machine' }],
    ],
    [
      'a program that gives no reason',
      { does: 'echo out; echo " " >&2; exit 75' },
      [
        {
          reason: 'the program exited with 75 and wrote nothing to stderr',
          running: '1.0.0',
          blame: 'machine',
        },
      ],
    ],
    [
      'a line of more than a kilobyte',
      { does: `printf '%01023d\\303\\274' 0 >&2; exit 75` },
      [{ reason: '0'.repeat(1023), running: '1.0.0', blame: 'machine' }],
    ],
    [
      'a line of a kilobyte',
      { does: `printf '%01022d\\303\\274' 0 >&2; exit 75` },
      [{ reason: `${'0'.repeat(1022)}ü`, running: '1.0.0', blame: 'machine' }],
    ],
    [
      'a program that took too long',
      { signal: late, does: 'sleep 5' },
      [{ reason: 'the program was stopped after 1 min 30 s', running: '1.0.0', blame: 'machine' }],
    ],
    ['an action that was withdrawn', { signal: AbortSignal.abort(), does: 'sleep 5' }, []],
    ['a poller that ends', { stopping: AbortSignal.abort(), does: 'sleep 5' }, []],
  ])('%s', async (_, trial, reported) => {
    expect((await triedOut(trial)).reported).toEqual(reported);
  });

  it('although the program cannot be recorded, which is in the log', async () => {
    const { reported, log } = await triedOut({ does: 'echo working' });
    expect([reported, log]).toEqual([
      ['done'],
      ['warn  lidar: the running program cannot be recorded (ENOENT)', 'info  lidar: working'],
    ]);
  });
});

/** The documents of a machine with this report of deployed versions. */
function documentsWith(deployed: Readonly<Record<string, string | null>>): PlanDocuments {
  const read = Object.entries(deployed).map(([name, runs]) => [name, readDeployed(runs)] as const);
  // A cast: only the report is read.
  return { deployed: new Map(read) } as unknown as PlanDocuments;
}

describe('the first version of a module, by --deployed', () => {
  it.each<[string | undefined, Parameters<typeof documentsWith>[0], unknown[]]>([
    ['none', {}, [null, undefined]],
    ['file', { lidar: '1.0.0', 'platform-agent': '0.9.0' }, ['1.0.0', '0.9.0']],
    ['file', { lidar: null, 'platform-agent': null }, [null, null]],
    ['file', { lidar: 'nightly' }, ['nightly', undefined]],
    [undefined, {}, [undefined, undefined]],
  ])('%s %j', (named, deployed, versions) => {
    const { world, lines } = logging();
    const report = reportOn(world);
    const of = firstVersions(claimed(), {
      named,
      report,
      documents: () => documentsWith(deployed),
    });
    expect([of(LIDAR), of(AGENT)]).toEqual(versions);
    // A warning is printed once, and a subsystem may stay unknown.
    expect([of(LIDAR), of(AGENT), lines.length]).toEqual([
      ...versions,
      versions[0] === undefined ? 1 : 0,
    ]);
  });

  it('is not that of the report after a failure, or after another version', () => {
    const { world } = logging();
    const of = (change: (state: ReturnType<typeof claimed>['state']) => void): unknown => {
      const file = claimed();
      change(file.state);
      const terms = { named: 'file', report: reportOn(world) };
      return firstVersions(file, { ...terms, documents: () => documentsWith({ lidar: '1.0.0' }) })(
        LIDAR,
      );
    };
    expect([
      of(() => undefined),
      of((state) => {
        state.report(LIDAR, '1.0.0', 1);
        state.report(LIDAR, '1.1.0', 2);
        state.report(LIDAR, undefined, 3);
      }),
    ]).toEqual(['1.0.0', undefined]);
  });
});

it('[T72] a record that is damaged names no program', () => {
  const path = `${temporaryFolder()}/record`;
  const record = programRecord(path);
  record.note(process.pid);
  expect(record.earlier()).toBe(process.pid);
  for (const content of ['', 'x', `${process.pid}`, `${process.pid} ended`]) {
    writeFileSync(path, content);
    expect(record.earlier()).toBeUndefined();
  }
});
