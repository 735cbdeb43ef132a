import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLog } from '../../src/logs/log-file.ts';
import { printed } from '../support/command.ts';
import { day, HOUR, MINUTE, type Day } from '../support/day.ts';
import { entry } from '../support/planned.ts';
import { NIGHTLY } from '../support/restarts.ts';
import { ROVER } from './support/changed-page.ts';
import { machinePage } from './support/machine-page.ts';

const VERSIONS = ['1.2.0', '1.2.3', '1.10.0', '2.0.1', '2.1.0-rc.1'];
const SAVED = '--registry https://registry.example --offline --max-age 30m';
const CHANGED = ROVER.replace('hall', 'yard')
  .replace('correct horse', '•••')
  .replace('1.2.*', '1.*');

/** A machine on which 1.2.4 of a lidar is deployed, after 1.2.5 has failed, and a map, which is downloaded, is held until the next night (D78). */
async function rover(): Promise<Day> {
  const releases = {
    'acme:lidar': VERSIONS.map((version) => ({ version })),
    'acme:map': [{ version: '1.0.0' }],
    'platform:server': [{ version: '0.100.0' }],
  };
  const modules = [
    entry('acme:lidar', '1.2.*'),
    entry('acme:map', 'latest'),
    entry('acme:arm', '1.*'),
  ];
  const deployed = { acme_lidar: '1.2.3', acme_map: '0.9.0', 'platform-server': '0.100.0' };
  const machine = await day({ machine: { modules }, policy: NIGHTLY, releases, deployed });
  const { deliveries } = machine;
  machine.publish('acme:lidar', '1.2.4');
  await machine.pass(HOUR);
  for (const delivery of deliveries.splice(0)) await delivery.done();
  machine.publish('acme:lidar', '1.2.5');
  await machine.pass(20 * MINUTE);
  await deliveries.shift()?.failed({ reason: 'no light', blame: 'release', running: '1.2.5' });
  await machine.pass(MINUTE);
  await deliveries.shift()?.done();
  await machine.pass(HOUR);
  machine.publish('acme:map', '1.1.0');
  await machine.pass(10 * MINUTE);
  mkdirSync(join(machine.home, 'packages/acme/map/1.1.0'), { recursive: true });
  return machine;
}

/** The documents and the log of the machine, and its page. */
function furnished({ home, clock }: Day): ReturnType<typeof machinePage> {
  const now = clock.now();
  const log = openLog(join(home, 'logs.db'), 'create');
  for (const minutes of [2, 1]) {
    const of = { severity: 'warn', module: 'acme_lidar', version: '1.2.4' } as const;
    const text = 'acme_lidar 1.2.4 failed: it ended with exit code 7';
    const at = now - minutes * MINUTE;
    log.append([{ at, ...of, event: 'modreg.module.failed', text }]);
  }
  log.close();
  const map =
    '{"type": "registry", "name": "acme_map", "module_id": "acme:map", "version": "latest"},';
  const machine = ROVER.replace('"modules": [', `"modules": [\n    ${map}`);
  return machinePage({ home, now, machine, policy: NIGHTLY });
}

/** An answer as the text of its file: the keys are in its own order. */
function textFor(answer: Readonly<Record<string, unknown>>, home: string): string {
  const text = JSON.stringify(answer, undefined, 2).replaceAll(home, '.');
  return `${text.replace(`"pid": ${process.pid},`, '"pid": 1,')}\n`;
}

const FILES = '../fixtures/json-answers';

/** A line of JSON, of which only spaces are lost in the file, or a note for a person. */
function documentIn(line: string): unknown {
  if (!line.startsWith('{')) return line;
  const document: unknown = JSON.parse(line);
  expect.soft(JSON.stringify(document)).toBe(line);
  return document;
}

/** Commands in their order: some change the machine. `.` is the folder of the machine. */
const COMMANDS: readonly (readonly [file: string, command: string])[] = [
  ['plan', `plan ./machine.json ${SAVED}`],
  ['plan-at', `plan ./machine.json ${SAVED} --at 2026-11-22T02:30:00Z --exit-code`],
  ['plan-with-errors', `plan ./policy.json ${SAVED}`],
  ['status', 'status --exit-code'],
  ['agent-status', 'agent status'],
  ['agent-logs', 'agent logs acme_lidar'],
  ['check', 'check ./machine.json'],
  ['check-with-errors', 'check ./broken.json'],
  ['why', 'why acme_lidar'],
  ['why-at', 'why acme:map --at 2026-11-21T03:00:00Z'],
  ['why-stuck', 'why acme_arm'],
  ['why-unknown', 'why acme:lidra'],
  ['why-too-early', 'why acme_lidar --at 2026-11-20T03:00:00Z'],
  ['why-record', 'why acme_lidar --record ./decision.json'],
  ['replay', 'replay ./decision.json'],
  ['resolve', `resolve acme:lidar 1.* ${SAVED} --explain`],
  ['resolve-machine', `resolve acme:lidar 1.* ${SAVED} --machine --explain`],
  ['resolve-no-match', `resolve acme:lidar 3.* ${SAVED}`],
  ['compare', `compare acme:lidar ${SAVED} --deployed 1.2.4`],
  ['quarantine-list', 'quarantine list'],
  ['quarantine-add', 'quarantine add acme_lidar 1.2.3 --reason dust --for 7d'],
  ['quarantine-add-unlisted', 'quarantine add acme:map 7.0.0'],
  ['quarantine-add-unknown', 'quarantine add acme:lidra 1.0.0'],
  ['quarantine-add-no-term', 'quarantine add acme_lidar 1.0.0 --for 0s'],
  ['quarantine-lift', 'quarantine lift acme_lidar 1.2.3'],
  ['quarantine-lift-absent', 'quarantine lift acme:lidar 1.2.3'],
  ['restart', 'restart acme_lidar'],
  ['restart-now', 'restart acme:lidar --now'],
  ['restart-now-cancel', 'restart acme:lidar --now --cancel'],
  ['restart-cancel', 'restart acme_lidar --cancel'],
  ['restart-cancel-absent', 'restart acme_lidar --cancel'],
  ['restart-server', 'restart platform-server'],
  ['upgrade-now', 'upgrade acme:map --now --reason stops'],
  ['upgrade-now-up-to-date', 'upgrade acme_lidar --now'],
  ['upgrade-despite', 'upgrade acme:map --now --despite docking'],
  ['upgrade-despite-later', 'upgrade acme:map --despite docking'],
  ['restart-stuck', 'restart acme_arm'],
  ['rollback', 'rollback acme_lidar --for 7d'],
  ['rollback-refused', 'rollback acme:map'],
  ['quarantine-add-rolled-back', 'quarantine add acme:lidar 1.2.4'],
  ['quarantine-list-afterwards', 'quarantine list'],
  ['status-afterwards', 'status'],
  ['quarantine-lift-rollback', 'quarantine lift acme:lidar 1.2.4'],
];

it('commands answer --json as before', async () => {
  const machine = await rover();
  furnished(machine);
  const { home, clock } = machine;
  writeFileSync(join(home, 'broken.json'), CHANGED.replace('1.*', 'new').replace('"own"', '""'));
  const environment = { PLATFORM_HOME: home };
  for (const [file, command] of COMMANDS) {
    const args = command.split(' ').map((one) => one.replace(/^\.\//, `${home}/`));
    const world = { environment, clock: () => clock.now() };
    const { stdout, stderr, exit } = await printed([...args, '--json'], world);
    const answer = { stdout: stdout.map(documentIn), stderr: stderr.map(documentIn), exit };
    const text = textFor({ command: `modreg ${command} --json`, ...answer }, home);
    await expect.soft(text).toMatchFileSnapshot(`${FILES}/command/${file}.json`);
  }
});

interface Asked {
  readonly body?: object;
  readonly isMatched?: true;
}

const REQUESTS: readonly (readonly [file: string, request: string, asked?: Asked])[] = [
  ['machine', 'GET /v1/machine'],
  ['explain', 'GET /v1/modules/acme_lidar/explain'],
  ['explain-unknown', 'GET /v1/modules/own/explain'],
  ['history', 'GET /v1/history'],
  ['history-of-module', 'GET /v1/history?module=acme:lidar'],
  ['logs', 'GET /v1/logs?level=warn'],
  ['compare', 'GET /v1/modules/acme_lidar/compare'],
  ['compare-local', 'GET /v1/modules/own/compare'],
  ['compare-server', 'GET /v1/modules/platform-server/compare'],
  ['config', 'GET /v1/config'],
  ['config-check', 'POST /v1/config/check', { body: { text: CHANGED } }],
  [
    'config-check-errors',
    'POST /v1/config/check',
    { body: { text: CHANGED.replace('1.*', 'new') } },
  ],
  ['config-stale', 'PUT /v1/config', { body: { text: CHANGED } }],
  ['quarantine', 'GET /v1/quarantine'],
  [
    'quarantine-add',
    'POST /v1/quarantine',
    { body: { module: 'acme_lidar', version: '1.2.3', reason: 'dust', for: '7d' } },
  ],
  [
    'quarantine-add-unknown',
    'POST /v1/quarantine',
    { body: { module: 'acme:lidra', version: '1.0.0' } },
  ],
  [
    'quarantine-lift-other',
    'DELETE /v1/quarantine/acme:lidar/1.2.3',
    { body: { since: '2026-11-20T00:00:00Z' } },
  ],
  ['quarantine-lift', 'DELETE /v1/quarantine/acme:lidar/1.2.3'],
  ['quarantine-lift-absent', 'DELETE /v1/quarantine/acme:lidar/1.2.3'],
  ['restart', 'POST /v1/modules/acme_lidar/restart', { body: { now: true, deployed: '1.2.4' } }],
  ['restart-changed', 'POST /v1/modules/acme_lidar/restart', { body: { deployed: '1.2.3' } }],
  ['restart-cancel', 'DELETE /v1/modules/acme_lidar/restart'],
  ['restart-cancel-absent', 'DELETE /v1/modules/acme_lidar/restart'],
  [
    'upgrade-now-changed',
    'POST /v1/modules/acme_map/upgrade',
    { body: { now: true, by: 'ann', to: '0.9.0' } },
  ],
  ['upgrade-now', 'POST /v1/modules/acme_map/upgrade', { body: { now: true, by: 'ann' } }],
  [
    'upgrade-now-despite',
    'POST /v1/modules/acme_map/upgrade',
    { body: { now: true, by: 'ann', despite: 'docking' } },
  ],
  ['rollback-changed', 'POST /v1/modules/acme_lidar/rollback', { body: { to: '1.2.0' } }],
  ['rollback', 'POST /v1/modules/acme_lidar/rollback', { body: { for: '7d', to: '1.2.3' } }],
  ['rollback-refused', 'POST /v1/modules/acme_map/rollback', { body: {} }],
  ['machine-afterwards', 'GET /v1/machine'],
  ['version', 'PUT /v1/modules/acme_lidar/version', { body: { version: '1.*' }, isMatched: true }],
  [
    'version-same',
    'PUT /v1/modules/acme_lidar/version',
    { body: { version: '1.*' }, isMatched: true },
  ],
  ['version-stale', 'PUT /v1/modules/acme_lidar/version', { body: { version: '2.*' } }],
  ['config-save', 'PUT /v1/config', { body: { text: CHANGED }, isMatched: true }],
  [
    'config-save-errors',
    'PUT /v1/config',
    { body: { text: CHANGED.replace('1.*', 'new') }, isMatched: true },
  ],
  ['config-not-json', 'PUT /v1/config', { body: { text: '{' }, isMatched: true }],
];

it('the page answers programs as before', async () => {
  const machine = await rover();
  const app = furnished(machine);
  for (const [file, request, { body, isMatched } = {}] of REQUESTS) {
    const [method = '', path = ''] = request.split(' ');
    const etag = (await app.request('/v1/config')).headers.get('etag') ?? '';
    const headers = {
      'content-type': 'application/json',
      ...(method === 'PUT' && { 'if-match': isMatched ? etag : '"0"' }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await app.request(path, init);
    const answer = documentIn((await response.text()).trimEnd());
    const of = { status: response.status, etag: response.headers.get('etag'), answer };
    const text = textFor({ request, ...of }, machine.home);
    await expect.soft(text).toMatchFileSnapshot(`${FILES}/page/${file}.json`);
  }
});
