import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLog } from '../../src/logs/log-file.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfterNight } from '../support/history.ts';
import { machinePage, textOf } from './support/machine-page.ts';
import { entry } from '../support/planned.ts';

const MACHINE = { modules: [entry('acme:lidar', '1.*')] };

async function pageAfterNight(): Promise<ReturnType<typeof machinePage>> {
  const { home, now } = await homeAfterNight();
  return machinePage({ home, now, machine: MACHINE });
}

describe('the page of the past', () => {
  it('shows each change of a decision by day, the newest first', async () => {
    const lines = await textOf(await pageAfterNight(), '/history');
    expect(lines.filter((line) => !line.includes('→ 1.2.9 →')).slice(0, 14)).toEqual([
      'History',
      'The newest 15 changes of decisions, in the time zone UTC.',
      // Each bar has its version, and a title for those that are too short for it.
      'acme:lidar1.2.31.2.31.2.91.2.91.3.01.3.01.2.91.2.9',
      'deployed version',
      '01:0402:4804:33',
      '2026-11-21',
      '04:24:33 acme:lidar stuck',
      'the pin failed on this machine (no light) and is quarantined',
      'what changed: the constraint changed from 1.* to 1.3.0',
      '04:13:03 acme:lidar stayed at 1.2.9',
      '1.3.0 is quarantined on this machine (no light)',
      'what changed: 1.2.9 was deployed',
      '04:12:03 acme:lidar rolled back 1.3.0 → 1.2.9',
      '1.3.0 failed on this machine (no light); 1.2.9 was deployed before it',
    ]);
  });

  it('has no bar of a negative width where the clock was set back by 25 minutes', async () => {
    const { home, now } = await homeAfterNight();
    const app = machinePage({ home, now: now - 25 * 60_000, machine: MACHINE });
    const html = await (await app.request('/history')).text();
    expect(html.match(/width="[^"]*"/g)).toContain('width="0.00%"');
    expect(html).not.toContain('width="-');
  });

  it('has the decisions of one module', async () => {
    const app = await pageAfterNight();
    const { decisions } = (await (await app.request('/v1/history?module=acme:lidar')).json()) as {
      decisions: object[];
    };
    expect([decisions.length, decisions[1]]).toEqual([
      13,
      {
        at: '2026-11-21T04:13:03Z',
        name: 'acme_lidar',
        event: 'stayed at 1.2.9',
        reason: '1.3.0 is quarantined on this machine (no light)',
        causes: ['1.2.9 was deployed'],
        decision: 'up-to-date',
        deployed: '1.2.9',
        target: '1.2.9',
      },
    ]);
    const unknown = await app.request('/v1/history?module=acme:lidarr');
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      {
        problems: [
          {
            code: 'UNKNOWN_REFERENCE',
            message: '"acme:lidarr" names no module or subsystem that this machine decides on',
          },
        ],
      },
    ]);
  });

  it('has the document of modreg resolve for a module', async () => {
    const app = await pageAfterNight();
    const answer = await app.request('/v1/modules/acme_lidar/explain');
    expect(await answer.json()).toMatchObject({
      schema: 'modreg/resolve@1',
      module_id: 'acme:lidar',
      constraint: '1.*',
      version: '1.2.9',
      latest: '1.3.0',
      refused: [
        {
          version: '1.3.0',
          reason: 'quarantined',
          detail: 'quarantined on this machine (no light)',
        },
        { version: '1.2.3', reason: 'older', detail: 'older than 1.2.9' },
      ],
    });
    const unknown = await app.request('/v1/modules/acme_radar/explain');
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { problems: [{ code: 'NOT_RECORDED' }] },
    ]);
  });

  it('shows each release of a module', async () => {
    const lines = await textOf(await pageAfterNight(), '/modules/acme_lidar');
    expect(lines.slice(0, lines.indexOf('History'))).toEqual([
      'acme:lidar up to date',
      '1.3.0 failed here: no light · 1.2.9 stays',
      'deployed 1.2.9',
      'constraint 1.*',
      'latest 1.3.0',
      'signatures unsigned',
      '1.3.0 is in quarantine until an operator lifts it Lift…',
      'Why',
      'stays at 1.2.9: 1.3.0 is quarantined on this machine (no light)',
      'Change… Restart… Roll back… Quarantine… Hold…',
      'Logs Remove…',
      'Releases',
      'release here published size why',
      '1.3.0 previous 2026-11-21  quarantined on this machine (no light)',
      '1.2.9 deployed, selected 2026-11-21  newest release of 1 that may be selected',
      '1.2.3  2026-11-21  older than 1.2.9',
    ]);
  });
});

const AT = Date.parse('2026-11-22T12:00:00Z');

function record(text: string, more: Partial<LogRecord> = {}): LogRecord {
  return { at: AT, severity: 'info', module: undefined, text, ...more };
}

function pageWithLog(records: readonly LogRecord[]): ReturnType<typeof machinePage> {
  const home = temporaryFolder();
  const log = openLog(join(home, 'logs.db'), 'create');
  log.append(records);
  log.close();
  return machinePage({ home, now: AT, machine: MACHINE });
}

const LINES = [
  record('earlier', { module: 'acme_arm', at: AT - 3_601_000 }),
  record('an hour ago', { module: 'acme_arm', at: AT - 3_600_000 }),
  record('running 1 module'),
  record('too close', { module: 'acme_lidar', severity: 'warn', at: AT + 1000 }),
  record('<script>alert(1)</script>', { module: 'acme_lidar', severity: 'error', at: AT + 2000 }),
];

describe('the page of the logs', () => {
  it.each([
    [
      '/logs',
      [
        '2026-11-22 12:00:02 error acme_lidar <script>alert(1)</script>',
        '2026-11-22 12:00:01 warn acme_lidar too close',
        '2026-11-22 12:00:00 info agent running 1 module',
        '2026-11-22 11:00:00 info acme_arm an hour ago',
        '2026-11-22 10:59:59 info acme_arm earlier',
      ],
    ],
    [
      '/logs?level=warn',
      [
        '2026-11-22 12:00:02 error acme_lidar <script>alert(1)</script>',
        '2026-11-22 12:00:01 warn acme_lidar too close',
      ],
    ],
    [
      '/logs?module=acme_lidar&level=error',
      ['2026-11-22 12:00:02 error acme_lidar <script>alert(1)</script>'],
    ],
    ['/logs?after=4', ['2026-11-22 12:00:02 error acme_lidar <script>alert(1)</script>']],
    ['/logs?module=none', ['No line matches.']],
    ['/logs?text=TOO%20C', ['2026-11-22 12:00:01 warn acme_lidar too close']],
    ['/logs?text=%25', ['No line matches.']],
    ['/logs?last=1h&module=acme_arm', ['2026-11-22 11:00:00 info acme_arm an hour ago']],
    ['/logs?last=0s&module=acme_arm', ['No line matches.']],
    [
      '/logs?last=soon&module=acme_arm',
      [
        '2026-11-22 11:00:00 info acme_arm an hour ago',
        '2026-11-22 10:59:59 info acme_arm earlier',
      ],
    ],
  ])('%s has the lines that it asks for', async (path, expected) => {
    const lines = await textOf(pageWithLog(LINES), path);
    expect(lines.slice(lines.indexOf('last 24 hours text  Show') + 1)).toEqual(expected);
  });

  it('says that there is no log', async () => {
    const app = machinePage({ home: temporaryFolder(), now: AT, machine: MACHINE });
    expect((await textOf(app, '/logs')).at(-1)).toBe('No agent has written a log on this machine.');
  });

  it('has the same lines as JSON', async () => {
    const answer = await pageWithLog(LINES).request('/v1/logs?level=error');
    expect(await answer.json()).toEqual({
      schema: 'modreg/logs@1',
      records: [
        {
          id: 5,
          at: '2026-11-22T12:00:02Z',
          level: 'error',
          module: 'acme_lidar',
          version: null,
          event: null,
          text: '<script>alert(1)</script>',
        },
      ],
      dropped: null,
    });
  });
});
