import { describe, expect, it } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import type { MachineState } from '../../src/store/machine-state.ts';
import { AGENT, commitOne, moduleNamed } from '../support/claimed.ts';
import { contentsOf, homeAfter, logged, polledHome, wholeSecond } from '../support/machine-home.ts';
import { inProcess } from '../support/in-process.ts';
import type { Ended } from '../support/modreg.ts';
import { entry } from '../support/planned.ts';
import { planFor, site } from '../support/site.ts';

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];
const THEN = Date.parse('2026-11-20T01:02:03Z');
const TROUBLE = 'the registry https://registry.example refused the connection';
const LIDAR = moduleNamed('acme_lidar', 'acme:lidar');
const REAR = moduleNamed('rear', 'acme:lidar');
const CAM = moduleNamed('acme_cam', 'acme:cam');
const NONE = { target: undefined, latest: undefined };

const DECISIONS = [
  logged('acme_lidar', {
    constraint: '1.2.*',
    target: '1.2.9',
    latest: '2.0.1',
    decision: 'upgrade',
    reason: 'newest patch of 1.2',
  }),
  logged('rear', { moduleId: 'acme:lidar', decision: 'install', reason: 'not deployed yet' }),
  logged('acme_arm', { ...NONE, decision: 'stuck', reason: 'the deployed version is not known' }),
  logged('acme_cam', { decision: 'hold', reason: 'resting', until: THEN + HOUR }),
  logged('acme_own', { constraint: undefined, decision: 'local', reason: 'local' }),
  logged('platform-agent', { constraint: 'stable' }),
  logged('platform-server', { decision: 'stuck', reason: 'no report' }),
];

/** The target of an up-to-date module in `--json`. */
const ordinary = (name: string, moduleId: string): object => ({
  name,
  module_id: moduleId,
  kind: 'module',
  constraint: '1.*',
  deployed: null,
  target: '1.1.0',
  latest: '1.1.0',
  until: null,
  action: null,
  restart_request: null,
  upgrade_request: null,
  deployed_yanked: null,
  held_since: null,
  downloaded: null,
  failures: null,
});

/** Records failures, a crash loop and open actions. Returns the ids of the open actions. */
function recordTrouble(state: MachineState, now: number): readonly string[] {
  const failed = { kind: 'failed', reason: 'no light\n\u001b[2J', running: '1.2.3' } as const;
  const terms = { at: THEN, quarantineUntil: undefined, retryAt: now + 2 * HOUR + 30 * SECOND };
  const release = commitOne(state, { target: LIDAR, to: '1.2.8' });
  state.deliver(release.id, THEN);
  state.acknowledge(release.id, { ...failed, blame: 'release' }, terms);
  const waiting = commitOne(state, { target: LIDAR, from: '1.2.3', to: '1.2.9' });
  const delivered = commitOne(state, { target: REAR, from: undefined, direction: 'install' });
  state.deliver(delivered.id, now);
  state.deliver(delivered.id, now);
  const again = commitOne(state, {
    target: CAM,
    from: 'https://builds.example/cam',
    to: 'https://user:CANARY@builds.example/new?key=CANARY',
  });
  state.deliver(again.id, now);
  state.acknowledge(again.id, { ...failed, running: undefined, blame: 'machine' }, terms);
  state.report(REAR, null, THEN);
  state.report(CAM, 'https://user:CANARY@builds.example/cam?key=CANARY#CANARY', THEN);
  state.report(AGENT, '0.9.0', THEN);
  for (const ago of [9, 8, 4, 3, 2, 1]) state.start(now - ago * MINUTE);
  const at = now - 2 * HOUR - 5 * MINUTE - 30 * SECOND;
  state.log(DECISIONS, { at, trouble: TROUBLE });
  return [waiting.id, delivered.id, again.id];
}

async function status(home: string, ...options: readonly string[]): Promise<Ended> {
  return await inProcess(['status', ...options], { PLATFORM_HOME: home });
}

describe('modreg status', () => {
  it('shows deployed versions, decisions and open actions while a poller has the file open', async () => {
    const now = wholeSecond();
    const { home, state } = polledHome();
    const [waiting, delivered] = recordTrouble(state, now);
    const before = contentsOf(home);
    const shown = await status(home);
    expect({ ...shown, stdout: shown.stdout.replace(/in 1 min \d+ s/, 'in SOME') }).toEqual({
      stdout: `process ${process.pid} polls for this machine; last round 2 h 5 min ago; ${TROUBLE}
crash loop: no action until ${formatTime(now + 2 * MINUTE)} (in SOME), because the agent started five times in ten minutes

  MODULE              CONSTRAINT   DEPLOYED                       TARGET   LATEST   DECISION     WHY
  acme:lidar          1.2.*        1.2.3                          1.2.9    2.0.1    upgrade      newest patch of 1.2
  acme:lidar (rear)   1.*          none                           1.1.0    1.1.0    install      not deployed yet
  acme:arm            1.*          unknown                        -        -        stuck        the deployed version is not known
  acme:cam            1.*          "https://builds.example/cam"   1.1.0    1.1.0    waiting      upgrade to https://builds.example/new failed once because of this machine, next attempt ${formatTime(now + 2 * HOUR + 30 * SECOND)} (in 2 h): no light\\u{a}\\u{1b}[2J; resting
  acme:own            -            unknown                        1.1.0    1.1.0    local        local
  platform-agent      stable       0.9.0                          1.1.0    1.1.0    up to date   already the newest release of 1

acme_lidar 1.2.3 → 1.2.9: not begun yet (${waiting})
rear none → 1.1.0: begun 2 times, not done yet (${delivered})

Find out more: modreg doctor

In quarantine (modreg quarantine lift MODULE VERSION lets one be selected again):
  MODULE       VERSION   SINCE                  UNTIL                                     WHY
  acme:lidar   1.2.8     2026-11-20T01:02:03Z   an operator lifts it, or another digest   no light\\u{a}\\u{1b}[2J
`,
      stderr: '',
      exit: 0,
    });
    expect(contentsOf(home)).toEqual(before);
  });

  it('prints the same as data with --json', async () => {
    const now = wholeSecond();
    let ids: readonly string[] = [];
    const home = homeAfter((state) => (ids = recordTrouble(state, now)));
    const before = contentsOf(home);
    const { stdout, stderr, exit } = await status(home, '--json');
    expect([stderr, exit]).toEqual(['', 0]);
    expect(stdout).not.toContain('CANARY');
    const never = { failures: 0, last_failure: null, not_before: null };
    const open = { from: null, to: '1.1.0', direction: 'upgrade', ...never };
    expect(JSON.parse(stdout)).toEqual({
      schema: 'modreg/status@1',
      holds: [],
      running: false,
      at: expect.any(String) as string,
      poller: {
        pid: process.pid,
        last_round: formatTime(now - 2 * HOUR - 5 * MINUTE - 30 * SECOND),
        trouble: TROUBLE,
        reports_only_until: formatTime(now + 2 * MINUTE),
      },
      targets: [
        {
          ...ordinary('acme_lidar', 'acme:lidar'),
          constraint: '1.2.*',
          deployed: '1.2.3',
          target: '1.2.9',
          latest: '2.0.1',
          decision: 'upgrade',
          reason: 'newest patch of 1.2',
          action: {
            ...open,
            id: ids[0],
            state: 'waiting',
            from: '1.2.3',
            to: '1.2.9',
            deliveries: 0,
          },
        },
        {
          ...ordinary('rear', 'acme:lidar'),
          deployed: 'none',
          decision: 'install',
          reason: 'not deployed yet',
          action: { ...open, id: ids[1], state: 'delivered', direction: 'install', deliveries: 2 },
        },
        {
          ...ordinary('acme_arm', 'acme:arm'),
          target: null,
          latest: null,
          decision: 'stuck',
          reason: 'the deployed version is not known',
        },
        {
          ...ordinary('acme_cam', 'acme:cam'),
          deployed: 'https://builds.example/cam',
          decision: 'hold',
          reason: 'resting',
          until: '2026-11-20T02:02:03Z',
          action: {
            ...open,
            id: ids[2],
            state: 'waiting',
            from: 'https://builds.example/cam',
            to: 'https://builds.example/new',
            deliveries: 1,
            failures: 1,
            last_failure: 'no light\n\u001b[2J',
            not_before: formatTime(now + 2 * HOUR + 30 * SECOND),
          },
        },
        {
          ...ordinary('acme_own', 'acme:own'),
          constraint: null,
          decision: 'local',
          reason: 'local',
        },
        {
          ...ordinary('platform-agent', 'platform:agent'),
          kind: 'subsystem',
          constraint: 'stable',
          deployed: '0.9.0',
          decision: 'up-to-date',
          reason: 'already the newest release of 1',
        },
      ],
      quarantine: [
        {
          module_id: 'acme:lidar',
          version: '1.2.8',
          digest: 'sha256:aa',
          since: '2026-11-20T01:02:03Z',
          until: null,
          reason: 'no light\n\u001b[2J',
          rolled_back: false,
          rolled_back_to: null,
          refused: null,
          failed_in: [{ name: 'acme_lidar', undecided: false, same_as: null }],
        },
      ],
    });
    expect(contentsOf(home)).toEqual(before);
  });

  it.each<[string, string, (state: MachineState) => void]>([
    [
      'no decision',
      'no process polls for this machine; no round was made yet\n\nno module was decided on yet\n',
      () => undefined,
    ],
    [
      'four recent starts and an older one, which are no crash loop',
      'no process polls for this machine; no round was made yet\n\nno module was decided on yet\n',
      (state) => {
        for (const ago of [11, 4, 3, 2, 1]) state.start(Date.now() - ago * MINUTE);
      },
    ],
    [
      'only a subsystem, whose deployed version is not known',
      `no process polls for this machine; last round 3 h ago by process ${process.pid}\n\nno module was decided on yet\n`,
      (state) => {
        const round = { at: Date.now() - 3 * HOUR - SECOND, trouble: undefined };
        state.log([logged('platform-server')], round);
      },
    ],
    [
      'an action to deliver again, and one that was delivered once',
      `no process polls for this machine; no round was made yet

no module was decided on yet

acme_lidar 1.0.0 → 1.1.0: failed 2 times because of this machine, next attempt in 0 s (FILE-1)
acme_cam 1.0.0 → 1.1.0: begun once, not done yet (FILE-2)
`,
      (state) => {
        const failed = { kind: 'failed', reason: '', running: '1.0.0', blame: 'machine' } as const;
        const { id } = commitOne(state, { target: LIDAR });
        for (let times = 0; times < 2; times++) {
          state.deliver(id, THEN);
          state.acknowledge(id, failed, { at: THEN, quarantineUntil: undefined, retryAt: THEN });
        }
        state.deliver(commitOne(state, { target: CAM }).id, THEN);
      },
    ],
    [
      'names with terminal escapes',
      `no process polls for this machine; last round 0 s ago by process ${process.pid}; no\\u{a}light

  MODULE                                 CONSTRAINT   DEPLOYED   TARGET   LATEST   DECISION     WHY
  acme:lidar (li\\u{1b}[31mdar\\u{202e})   1.*          unknown    1.1.0    1.1.0    up to date   already the newest release of 1

li\\u{1b}[31mdar\\u{202e} 1.0.0 → 1.1.0: not begun yet (FILE-1)\n\nFind out more: modreg doctor
`,
      (state) => {
        const name = 'li\u001b[31mdar\u202e';
        commitOne(state, { target: moduleNamed(name, 'acme:lidar') });
        const round = { at: Date.now() + MINUTE, trouble: 'no\nlight' };
        state.log([logged(name, { moduleId: 'acme:lidar' })], round);
      },
    ],
  ])('shows %s', async (_, lines, work) => {
    const { stdout, stderr, exit } = await status(homeAfter(work));
    expect([stdout.replaceAll(/\([\da-f]{12}-/g, '(FILE-'), stderr, exit]).toEqual([lines, '', 0]);
  });

  it.each(['', 'nightly', 'none', 'unknown'])(
    'quotes a deployed text that is not a version, as plan does: %j',
    async (runs) => {
      const home = homeAfter((state) => {
        state.report(LIDAR, runs, THEN);
        state.log([logged('acme_lidar')], { at: THEN, trouble: undefined });
      });
      const machine = { modules: [entry('acme:lidar', '1.*')] };
      const lists = { 'acme/lidar': ['1.1.0'] };
      const folder = site({ machine, deployed: { acme_lidar: runs }, lists });
      for (const { stdout } of [await planFor(folder), await status(home)]) {
        expect(/acme:lidar +1\.\* +(.*?)  /.exec(stdout)?.[1]).toBe(`"${runs}"`);
      }
    },
  );
});
