import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { createdToken, newFile, registry } from './support/registry-command.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { servedHere } from '../support/served-here.ts';
import { tlsFiles } from '../support/tls.ts';

/** The lines of the metrics that begin with one of `names`, without buckets, sums and comments. */
async function scraped(address: string, ...names: readonly string[]): Promise<string[]> {
  const text = await (await fetch(address)).text();
  const lines = text.split('\n').filter((line) => names.some((name) => line.startsWith(name)));
  return lines.filter((line) => !/_(?:bucket|sum)\{/.test(line)).toSorted();
}

it('[T83] /metrics counts requests by address and status, and changes, without texts of clients', async () => {
  const db = newFile();
  const { address } = await servedHere(db);
  const created = await registry(db, 'token', 'create', '--name', 'ci', '--scope', 'publish');
  const token = created.stdout.trim();
  const releases = `${address}/v1/modules/acme/lidar/releases`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const publish = { method: 'POST', headers, body: '{"version":"1.0.0"}' };
  await (await fetch(releases, publish)).text();
  await (await fetch(releases, { method: 'POST' })).text();
  await (await fetch(`${releases}/1.0.0/yank?token=${token}`, { method: 'PUT', headers })).text();
  for (let round = 0; round < 50; round++) {
    await (await fetch(`${address}/v1/modules/acme/m${round}`)).text();
    await (await fetch(`${address}/no/such/address/${round}?x=${token}`)).text();
  }
  const waiting = new AbortController();
  const poll = fetch(`${address}/v1/changes?after=1&wait=60`, { signal: waiting.signal }).catch(
    () => undefined,
  );
  const names = ['modreg_registry_'];
  await expect
    .poll(async () => await scraped(`${address}/metrics`, ...names))
    .toContain('modreg_registry_long_polls 1');
  const MODULE = '/v1/modules/{namespace}/{name}';
  const lines = await scraped(`${address}/metrics`, ...names);
  expect(
    lines.filter((line) => !/connections|_(?:duration|database)|\/metrics/.test(line)),
  ).toEqual([
    'modreg_registry_changes_total{kind="deprecated"} 0',
    'modreg_registry_changes_total{kind="noted"} 0',
    'modreg_registry_changes_total{kind="published"} 1',
    'modreg_registry_changes_total{kind="signed"} 0',
    'modreg_registry_changes_total{kind="undeprecated"} 0',
    'modreg_registry_changes_total{kind="unyanked"} 0',
    'modreg_registry_changes_total{kind="uploaded"} 0',
    'modreg_registry_changes_total{kind="yanked"} 0',
    'modreg_registry_healthy 1',
    'modreg_registry_long_polls 1',
    ...['dropped', 'expired', 'failed', 'refused', 'sent'].map(
      (result) => `modreg_registry_notices_total{result="${result}"} 0`,
    ),
    'modreg_registry_passed_over_reports_total{what="message"} 0',
    'modreg_registry_passed_over_reports_total{what="report"} 0',
    'modreg_registry_refused_changes_total{reason="missing-scope"} 1',
    'modreg_registry_refused_changes_total{reason="no-token"} 1',
    `modreg_registry_requests_total{route="${MODULE}",method="GET",status="404"} 50`,
    `modreg_registry_requests_total{route="${MODULE}/releases",method="POST",status="201"} 1`,
    `modreg_registry_requests_total{route="${MODULE}/releases",method="POST",status="401"} 1`,
    `modreg_registry_requests_total{route="${MODULE}/releases/{version}/yank",method="PUT",status="403"} 1`,
    'modreg_registry_requests_total{route="other",method="GET",status="404"} 50',
    'modreg_registry_sequence 1',
    'modreg_registry_unsent_bytes 0',
  ]);
  const response = await fetch(`${address}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  expect(text).toContain(`modreg_registry_request_duration_seconds_count{route="${MODULE}"} 50`);
  // NaN for a scrape right after another.
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds (?:[\d.e-]+|NaN)$/im);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect([text.includes(token), text.includes('lidar'), text.includes('t1')]).toEqual([
    false,
    false,
    false,
  ]);
  waiting.abort();
  await poll;
  await expect
    .poll(async () => await scraped(`${address}/metrics`, ...names))
    .toContain('modreg_registry_long_polls 0');
});

it('[T103] a change that failed is in the log with its token, and counted by status', async () => {
  const db = newFile();
  const { address, log } = await servedHere(db);
  const token = await createdToken(db, 'publish');
  const path = '/v1/modules/acme/lidar/releases';
  const holder = new DatabaseSync(db);
  onTestFinished(() => holder.close());
  holder.exec('BEGIN IMMEDIATE');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = '{"version":"1.0.0"}';
  expect((await fetch(`${address}${path}`, { method: 'POST', headers, body })).status).toBe(503);
  const logged = `"event":"refused","method":"POST","path":"${path}","status":503,"token":"t1","peer":"127.0.0.1"}`;
  await expect.poll(log).toContain(logged);
  expect(await scraped(`${address}/metrics`, 'modreg_registry_refused')).toEqual([
    'modreg_registry_refused_changes_total{reason="503"} 1',
  ]);
});

it('[T83] --metrics serves them at another port only', async () => {
  const { certificate, key } = tlsFiles('expired');
  const tls = ['--tls-cert', certificate, '--tls-key', key];
  const { log } = await servedHere(newFile(), '--metrics', '127.0.0.1:0', ...tls);
  const find = (): string | undefined => /the metrics are at (\S+)$/m.exec(log())?.[1];
  await expect.poll(find).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
  const at = find() ?? '';
  expect(await scraped(at, 'modreg_registry_cert', 'modreg_registry_seq')).toEqual([
    `modreg_registry_certificate_expiry_timestamp_seconds ${Date.parse('2021-01-01T00:00:00Z') / 1000}`,
    'modreg_registry_sequence 0',
  ]);
  expect((await fetch(at.replace('/metrics', '/healthz'))).status).toBe(404);
  const plain = await servedHere(newFile(), '--metrics', '127.0.0.1:0');
  expect((await fetch(`${plain.address}/metrics`)).status).toBe(404);
});

it.each<[string, string]>([
  ['9464', '--metrics is "9464", expected an address and a port, such as 127.0.0.1:9464'],
  [
    '127.0.0.1:99999',
    '--metrics is "127.0.0.1:99999", expected an address and a port, such as 127.0.0.1:9464',
  ],
  [
    'http://127.0.0.1:9464',
    '--metrics is "http://127.0.0.1:9464", expected an address and a port, such as 127.0.0.1:9464',
  ],
])('[T83] --metrics %s is refused', async (place, message) => {
  const { stdout, stderr, exit } = await registry(
    newFile(),
    'serve',
    '--port',
    '0',
    '--metrics',
    place,
  );
  expect([stdout, stderr, exit]).toEqual(['', `error[USAGE]: ${message}\n`, 2]);
});

it('[T83] a port for metrics that is in use is refused', async () => {
  const { address } = await servedHere(newFile());
  const { host, port } = new URL(address);
  const { stderr, exit } = await registry(newFile(), 'serve', '--port', '0', '--metrics', host);
  expect([stderr, exit]).toEqual([
    `error[USAGE]: --metrics: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)\nhint: port 0 selects a free port\n`,
    2,
  ]);
});

const FLEET = ['modreg_registry_m', 'modreg_registry_r', 'modreg_registry_seconds_since'];

/** The lines of the fleet that `text` has and that are not 0. */
function fleetLines(text: string): string[] {
  const lines = text.split('\n').filter((line) => FLEET.some((name) => line.startsWith(name)));
  return lines.filter((line) => !/_requests_|_request_|_refused_| 0$/.test(line));
}

it('[T610] metrics of the fleet are for a token with fleet:read; others are refused, and without a token there are none', async () => {
  const db = newFile();
  const { address } = await servedHere(db);
  const tokens = {
    rover: await createdToken(db, 'machine:rover-1'),
    operator: (
      await registry(db, 'token', 'create', '--name', 'watch', '--scope', 'fleet:read')
    ).stdout.trim(),
  };
  const state = { ...reportedState(1, { decision: 'stuck' }), at: formatTime(Date.now()) };
  const report = machineReport([], { state });
  const sent = await fetch(`${address}/v1/machines/rover-1/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tokens.rover}`, 'content-type': 'application/json' },
    body: JSON.stringify(report),
  });
  expect(sent.status).toBe(200);
  const asked = async (token?: string): Promise<[number, string[]]> => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${address}/metrics`, { headers });
    return [response.status, fleetLines(await response.text())];
  };
  expect([await asked(), await asked(tokens.rover), await asked('modreg_x')]).toEqual([
    [200, []],
    [403, []],
    [401, []],
  ]);
  const [status, lines] = await asked(tokens.operator);
  expect([status, lines.slice(0, -1)]).toEqual([
    200,
    [
      'modreg_registry_machines{presence="online"} 1',
      'modreg_registry_machines_by_version{modreg="0.2.0"} 1',
      expect.stringMatching(/^modreg_registry_seconds_since_oldest_report \d/),
    ],
  ]);
  expect(lines.at(-1)).toBe('modreg_registry_modules_stuck 1');
});

it('[D210] the address of --metrics has those of the fleet', async () => {
  const { log } = await servedHere(newFile(), '--metrics', '127.0.0.1:0');
  const find = (): string | undefined => /the metrics are at (\S+)$/m.exec(log())?.[1];
  await expect.poll(find).toMatch(/^http:/);
  expect(await scraped(find() ?? '', 'modreg_registry_machines', 'modreg_registry_roll')).toEqual([
    'modreg_registry_machines_by_version{modreg="other"} 0',
    'modreg_registry_machines_by_version{modreg="unknown"} 0',
    'modreg_registry_machines_refusing 0',
    'modreg_registry_machines_with_wrong_clock 0',
    ...['online', 'quiet', 'retired', 'silent'].map(
      (presence) => `modreg_registry_machines{presence="${presence}"} 0`,
    ),
    ...['completed', 'damaged', 'failing', 'halted', 'retracted', 'running'].map(
      (state) => `modreg_registry_rollouts{state="${state}"} 0`,
    ),
  ]);
});
