import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ownVersion } from '../../src/cli/version.ts';
import { toldHistory } from '../../src/host/history/told-history.ts';
import type { PastDecision, RecordedDecision } from '../../src/store/decision-history.ts';
import { AGENT, moduleNamed } from '../support/claimed.ts';
import { printed, type Printed } from '../support/command.ts';
import { moduleQuestion } from '../support/decided.ts';
import { day, MINUTE } from '../support/day.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfterNight, night } from '../support/history.ts';
import { homeAfter, logged } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';

const NEXT_DAY = Date.parse('2026-11-22T12:00:00Z');

/** Runs a command on the machine whose machine.db is in `home`, on the next day. */
async function on(home: string, line: string): Promise<Printed> {
  const environment = { PLATFORM_HOME: home };
  return await printed(line.split(' '), { environment, clock: () => NEXT_DAY });
}

/** A maintenance window that opens at noon. */
function noonIn(time_zone: string): object {
  return { maintenance: [{ start: '0 12 * * *', duration: '1h', time_zone }] };
}

/** A decision in a few words: `upgrade 1.0.0 1.1.0`. */
function past(line: string): PastDecision {
  const [decision = '', deployed = '', target] = line.split(' ');
  const first = {
    decision,
    deployed,
    target,
    reason: 'x',
    facts: {},
    // A cast: the words need only these members of a record.
  } as unknown as RecordedDecision;
  return { since: 0, first, last: first };
}

describe('a decision in words', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['stuck 1.0.0'], ['stuck']],
    [
      ['local unknown', 'disabled 1.0.0'],
      ['made no decision', 'made no decision'],
    ],
    [
      ['ahead 2.0.0', 'up-to-date 2.0.0'],
      ['stayed at 2.0.0', 'stayed at 2.0.0'],
    ],
    [['hold none 1.0.0'], ['held the install 1.0.0']],
    [['hold 1.1.0 1.0.0'], ['held the downgrade 1.1.0 → 1.0.0']],
    [['hold 1.0.0 1.1.0'], ['held the upgrade 1.0.0 → 1.1.0']],
    [['hold nightly 1.1.0'], ['held the upgrade nightly → 1.1.0']],
    [
      ['install none 1.0.0', 'up-to-date 1.0.0'],
      ['installed 1.0.0', 'stayed at 1.0.0'],
    ],
    [
      ['downgrade 1.1.0 1.0.0', 'up-to-date 1.0.0'],
      ['downgraded 1.1.0 → 1.0.0', 'stayed at 1.0.0'],
    ],
    [['rollback 1.1.0 1.0.0'], ['decided to roll back 1.1.0 → 1.0.0']],
    [['rollback none 1.0.0'], ['decided to roll back to 1.0.0']],
    [['upgrade 1.0.0 1.1.0'], ['decided to upgrade 1.0.0 → 1.1.0']],
    // Another version than the target was deployed next.
    [
      ['upgrade 1.0.0 1.1.0', 'up-to-date 1.2.0', 'up-to-date 1.1.0'],
      ['decided to upgrade 1.0.0 → 1.1.0', 'stayed at 1.2.0', 'stayed at 1.1.0'],
    ],
    [
      ['upgrade 1.0.0 1.1.0', 'hold 1.0.0 1.1.0', 'upgrade 1.0.0 1.1.0', 'ahead 1.1.0'],
      [
        'upgraded 1.0.0 → 1.1.0',
        'held the upgrade 1.0.0 → 1.1.0',
        'still decided to upgrade 1.0.0 → 1.1.0',
        'stayed at 1.1.0',
      ],
    ],
    // A decision with another target is between them.
    [
      ['upgrade 1.0.0 1.1.0', 'upgrade 1.0.0 1.2.0', 'upgrade 1.0.0 1.1.0'],
      [
        'decided to upgrade 1.0.0 → 1.1.0',
        'decided to upgrade 1.0.0 → 1.2.0',
        'decided to upgrade 1.0.0 → 1.1.0',
      ],
    ],
  ])('%j', (decisions, events) => {
    expect(toldHistory(decisions.map(past)).map(({ event }) => event)).toEqual(events);
  });
});

describe('modreg why', () => {
  it('shows times in the zone of the module, and until when', async () => {
    const machine = await day({
      machine: { modules: [entry('acme:arm', '1.*'), entry('acme:lidar', '1.*')] },
      policy: { ...noonIn('Europe/Berlin'), modules: { acme_lidar: noonIn('Asia/Tokyo') } },
      deployed: { acme_lidar: '1.0.0', acme_arm: '1.0.0' },
      releases: {
        'acme:arm': [{ version: '1.0.0' }],
        'acme:lidar': [{ version: '1.0.0' }, { version: '1.1.0' }],
      },
    });
    await machine.pass(10 * MINUTE);
    const environment = { PLATFORM_HOME: machine.home };
    const clock = (): number => machine.clock.now();
    const why = async (...more: readonly string[]): Promise<readonly string[]> =>
      (await printed(['why', 'acme:lidar', ...more], { environment, clock })).stdout;
    const until = '2026-11-21T03:00:00Z (12:00 Asia/Tokyo, in 1 h 47 min)';
    expect(await why()).toEqual([
      `2026-11-21T01:02:33Z (10:02 Asia/Tokyo)  held the upgrade 1.0.0 → 1.1.0: the maintenance window is closed until ${until}`,
    ]);
    expect((await why('--at', '2026-11-21T01:10:00Z')).slice(0, 8)).toEqual([
      'acme:lidar held the upgrade 1.0.0 → 1.1.0',
      '  since       2026-11-21T01:02:33Z (10:02 Asia/Tokyo)',
      '  constraint  1.*',
      '  deployed    1.0.0',
      '  decision    hold',
      '  target      1.1.0',
      `  why         the maintenance window is closed until ${until}`,
      `  until       ${until}`,
    ]);
    const [json = ''] = await why('--json');
    expect(JSON.parse(json)).toMatchObject({
      decisions: [
        {
          at: '2026-11-21T01:02:33Z',
          reason: 'the maintenance window is closed until 2026-11-21T03:00:00Z',
          until: '2026-11-21T03:00:00Z',
          causes: [],
        },
      ],
    });
  });

  it('refuses a time in the future, also to record its decision', async () => {
    const { home } = await homeAfterNight();
    const refused = {
      stdout: [],
      stderr: [
        'error[USAGE]: --at: 2026-11-22T12:00:01Z is in the future; modreg plan shows what happens next',
      ],
      exit: 2,
    };
    const file = `${temporaryFolder()}/record.json`;
    const why = 'why acme:lidar --at 2026-11-22T12:00:01Z';
    expect(await on(home, why)).toEqual(refused);
    // [bug] It recorded the last decision.
    expect(await on(home, `${why} --record ${file}`)).toEqual(refused);
    expect(existsSync(file)).toBe(false);
    expect((await on(home, 'why acme:lidar --at 2026-11-22T12:00:00Z')).exit).toBe(0);
  });

  it('says since when decisions are recorded', async () => {
    const { home } = await homeAfterNight();
    expect(await on(home, 'why acme:lidar --at 2026-11-21T01:00:00Z')).toEqual({
      stdout: [],
      stderr: [
        'error[NOT_RECORDED]: no decision about acme:lidar is recorded for 2026-11-21T01:00:00Z',
        'hint: the first one is of 2026-11-21T01:04:33Z; decisions are kept for 90 days',
      ],
      exit: 1,
    });
    const none = homeAfter((state) =>
      state.log([logged('acme_lidar')], { at: 1, trouble: undefined }),
    );
    expect((await on(none, 'why acme:lidar')).stderr).toEqual([
      'error[NOT_RECORDED]: no decision about acme:lidar has been recorded yet',
      'hint: each change of a decision is recorded; modreg status shows the last ones',
    ]);
  });

  it('[D38] shows a module that the machine no longer has', async () => {
    const machine = await night();
    machine.configure({ machine: { modules: [] } });
    await machine.pass(10 * MINUTE);
    const { stdout, exit } = await on(machine.home, 'why acme:lidar');
    expect([stdout.length, exit]).toEqual([13, 0]);
  });
});

describe('modreg why --record', () => {
  it('says what is in the file, except with --json', async () => {
    const { home } = await homeAfterNight();
    const folder = temporaryFolder();
    const { stderr } = await on(home, `why acme:lidar --record ${folder}/one`);
    expect(stderr).toEqual([
      'note: addresses and reasons are in it; user info, queries and fragments are not',
    ]);
    const data = await on(home, `why acme:lidar --record ${folder}/two --json`);
    expect(data.stdout.map((line) => JSON.parse(line) as object)).toEqual([
      {
        schema: 'modreg/why-record@1',
        name: 'acme_lidar',
        module_id: 'acme:lidar',
        since: '2026-11-21T04:24:33Z',
        file: `${folder}/two`,
      },
    ]);
    // [bug] The note was printed, which is no JSON.
    expect(data.stderr).toEqual([]);
  });

  it('says that the file cannot be written, and what to do', async () => {
    const { home } = await homeAfterNight();
    const folder = temporaryFolder({ here: 'kept' });
    expect(await on(home, `why acme:lidar --record ${folder}/none/x`)).toEqual({
      stdout: [],
      stderr: [
        `error[UNREADABLE_FILE]: the file "${folder}/none/x" cannot be written (its folder does not exist)`,
        'hint: name a new file',
      ],
      exit: 2,
    });
    expect((await on(home, `why acme:lidar --record ${folder}/here`)).exit).toBe(2);
    expect(readFileSync(`${folder}/here`, 'utf8')).toBe('kept');
    const { stderr } = await on(
      home,
      `why acme:lidar --at 2026-11-21T01:20:00Z --record ${folder}/x`,
    );
    expect(stderr.at(-1)).toBe('hint: nothing was written; modreg why shows what is known of it');
    expect(existsSync(`${folder}/x`)).toBe(false);
  });
});

describe('modreg replay', () => {
  it.each([
    ['a subsystem', 'platform-agent', 'platform-agent'],
    ['an unusual entry', 'rear', 'acme:lidar (rear)'],
  ])('names %s, and shows a decision without a target', async (_, name, label) => {
    const subject = name === 'rear' ? moduleNamed('rear', 'acme:lidar') : AGENT;
    const input = moduleQuestion({
      wanted: '3.*',
      deployed: null,
      list: { error: { kind: 'x', message: 'no list' } },
    });
    const id = name === 'rear' ? { moduleId: 'acme:lidar' } : {};
    const row = logged(name, { ...id, decision: 'stuck', target: undefined, reason: 'no list' });
    const inputs = new Map([[`${subject.kind} ${name}`, input]]);
    const home = homeAfter((state) => state.log([row], { at: 1, trouble: undefined }, inputs));
    const file = `${temporaryFolder()}/record.json`;
    expect((await on(home, `why ${name} --record ${file}`)).exit).toBe(0);
    expect((await on(home, `replay ${file}`)).stdout).toEqual([
      `${label}, decided at 2026-11-21T00:00:00Z with modreg ${ownVersion()}: the same decision`,
      '  stuck: no list',
    ]);
    const { stdout } = await on(home, `replay ${file} --json`);
    const outcome = { decision: 'stuck', target: null, reason: 'no list' };
    expect(JSON.parse(stdout[0] ?? '')).toMatchObject({ recorded: outcome, recomputed: outcome });
    const other = readFileSync(file, 'utf8').replace(
      '"reason":"no list"',
      '"reason":"other","target":"1.0.0"',
    );
    writeFileSync(file, other);
    expect((await on(home, `replay ${file}`)).stdout.slice(1)).toEqual([
      '  target recorded    1.0.0',
      '  target recomputed  none',
      '  reason recorded    other',
      '  reason recomputed  no list',
    ]);
  });

  it('shows that the recorded decision had no target', async () => {
    const { home } = await homeAfterNight();
    const file = `${temporaryFolder()}/record.json`;
    await on(home, `why acme:lidar --record ${file} --at 2026-11-21T04:02:00Z`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"target":"1.3.0",', ''));
    expect((await on(home, `replay ${file}`)).stdout.slice(1)).toEqual([
      '  target recorded    none',
      '  target recomputed  1.3.0',
    ]);
  });

  it('says which command writes such a file', async () => {
    const folder = temporaryFolder({ 'x.json': '{}' });
    expect((await on(folder, `replay ${folder}/x.json`)).stderr.at(-1)).toBe(
      'hint: modreg why <module> --record <file> writes such a file',
    );
    expect((await on(folder, `replay ${folder}`)).stderr).toEqual([
      `error[UNREADABLE_FILE]: the file "${folder}" cannot be read (not a regular file)`,
    ]);
  });
});
