import { served } from '../../mocks/network.ts';
import { expect, it, onTestFinished } from 'vitest';
import { secret } from '../../src/core/text/secret.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';
import { LogUpload } from '../../src/logs/log-upload.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { printed, type Printed } from '../support/command.ts';
import { deliveryOf, logWith, record } from '../support/log-sending.ts';
import { loopbackRegistry, type Loopback } from '../support/loopback.ts';
import { tokenFor } from '../support/token.ts';

/** Sends a log as the agent of `machine` does, until the registry has all of it. */
async function sentTo(
  { address, catalogue }: Loopback,
  machine: string,
  records: readonly LogRecord[],
): Promise<void> {
  const path = logWith(records);
  const upload = new LogUpload(path, {
    source: { machineId: machine, host: 'host', version: '0.1.0' },
    clock: systemClock,
    random: () => 0,
    onNotice: () => undefined,
  });
  onTestFinished(async () => await upload.close());
  const token = tokenFor(catalogue, [`machine:${machine}`], machine);
  const headers = { authorization: secret(`Bearer ${token}`) };
  upload.follow({ ok: true, value: { endpoint: `${address}/v1/logs`, headers } });
  await expect.poll(() => deliveryOf(path).waiting).toBe(0);
}

/** Runs `modreg fleet logs` on a registry with a token of this scope. */
function reading(
  { address, catalogue }: Loopback,
  scope = 'logs:read',
): (...args: readonly string[]) => Promise<Printed> {
  const environment = { MODREG_TOKEN: tokenFor(catalogue, [scope], 'reader') };
  return async (...args) =>
    await printed(['fleet', 'logs', ...args, '--registry', address], { environment });
}

const LINES = [
  record('begins', { at: Date.parse('2026-11-24T10:00:00.120Z'), module: 'acme_lidar' }),
  record('no SPACE left', { severity: 'warn', module: 'acme_lidar', version: '1.2.3' }),
  record('stops\u001b[31m', {
    severity: 'error',
    module: undefined,
    event: 'modreg.agent.stopping',
  }),
];
const TEXT = [
  '2026-11-24T10:00:00.120Z info  begins',
  '2026-11-24T10:00:00.000Z warn  no SPACE left',
  '2026-11-24T10:00:00.000Z error stops\\u{1b}[31m',
];

it.each<[readonly string[], readonly string[], readonly string[]]>([
  [['--machine', 'rover-7'], TEXT, []],
  [['--machine', 'rover-7', '-n', '1'], TEXT.slice(2), []],
  [['--machine', 'rover-7', '--lines', '0'], [], []],
  [['--machine', 'rover-7', '--level', 'warn'], TEXT.slice(1), []],
  [['--machine', 'rover-7', '--grep', 'space'], TEXT.slice(1, 2), []],
  [['--machine', 'rover-7', '--since', '2026-11-24T10:00:00.1Z'], TEXT.slice(0, 1), []],
  [['acme_lidar', '--machine', 'rover-7'], TEXT.slice(0, 2), []],
  [['acme_arm', '--machine', 'rover-7'], [], ['the registry has no such line of rover-7']],
  [['--machine', 'rover-9'], [], ['the registry has no line of rover-9']],
  [['--grep', 'nothing'], [], ['the registry has no such line of any machine']],
  [['--grep', 'begins'], ['2026-11-24T10:00:00.120Z info  rover-7: begins'], []],
])('[D308] fleet logs %j', async (args, stdout, stderr) => {
  const registry = await loopbackRegistry();
  await sentTo(registry, 'rover-7', LINES);
  expect(await reading(registry)(...args)).toEqual({ stdout, stderr, exit: 0 });
});

it('[D308] fleet logs --json prints an object for each line', async () => {
  const registry = await loopbackRegistry();
  await sentTo(registry, 'rover-7', LINES.slice(1, 2));
  const { stdout } = await reading(registry)('--json');
  const received = /"received_at":"[^"]+"/;
  expect(stdout.map((line) => line.replace(received, '"received_at":"TIME"'))).toEqual([
    '{"schema":"modreg/fleet-log@1","time":"2026-11-24T10:00:00Z","level":"warn","machine":"rover-7","received_at":"TIME","module":"acme_lidar","version":"1.2.3","event":null,"text":"no SPACE left"}',
  ]);
});

it('[D308] lines that a machine lost before it sent them are a gap, at their place', async () => {
  const registry = await loopbackRegistry();
  const many = Array.from({ length: 10_007 }, (_, place) => record(`line ${place}`));
  await sentTo(registry, 'rover-7', many);
  const logs = reading(registry);
  const { stdout } = await logs('--machine', 'rover-7', '--level', 'warn');
  const gap = '7 lines until 2026-11-24T10:00:00Z were dropped before they were sent, in all';
  expect(stdout).toEqual([`2026-11-24T10:00:00.000Z warn  gap: ${gap}`]);
  const all = (await logs('--machine', 'rover-7', '-n', '10000')).stdout;
  expect([all.length, all[0], all.at(-1)]).toEqual([
    10_000,
    '2026-11-24T10:00:00.000Z info  line 7',
    '2026-11-24T10:00:00.000Z info  line 10006',
  ]);
  const json = (await logs('--json', '--level', 'warn')).stdout[0];
  expect(json).toMatch(/,"event":"modreg\.log\.dropped","text":"7 lines until .*","gap":true\}$/);
});

it.each<[readonly string[], string]>([
  [['-n', '10001'], 'error[USAGE]: --lines is "10001", expected a whole number from 0 to 10000'],
  [['--since', 'lately'], 'error[BAD_TIME]: "lately" is not a time'],
])('[D308] fleet logs %j is refused: %s', async (args, error) => {
  const { stderr, exit } = await printed(['fleet', 'logs', ...args]);
  expect([stderr[0], exit]).toEqual([error, 2]);
});

const DENIED =
  'error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): the token t1 (reader) does not have the scope logs:read';

it('[D308] a token without the scope logs:read reads no logs', async () => {
  const { stderr, exit } = await reading(await loopbackRegistry(), 'fleet:read')();
  expect([stderr[0]?.replace(/http:\S+/, 'ADDRESS'), exit]).toEqual([DENIED, 4]);
});

it.each([
  [
    404,
    {},
    'error[NOT_A_REGISTRY]: the registry ADDRESS does not respond like a registry: it takes no reports: its modreg is an earlier one',
  ],
  [
    409,
    { type: 'urn:modreg:no-logs', detail: 'a front of a cluster keeps no logs' },
    'error[REGISTRY_REFUSED]: the registry ADDRESS refuses: a front of a cluster keeps no logs',
  ],
  [409, {}, 'error[REGISTRY_REFUSED]: the registry ADDRESS refuses: got 409'],
  [
    200,
    [],
    'error[NOT_A_REGISTRY]: the registry ADDRESS does not respond like a registry: its answer is not an object',
  ],
  [
    200,
    {},
    'error[NOT_A_REGISTRY]: the registry answered without the fields that its OpenAPI document has',
  ],
])('[D308] the answer %i of a registry is an error', async (status, body, error) => {
  const address = await served(() => Response.json(body, { status }));
  const { stderr, exit } = await printed(['fleet', 'logs', '--registry', address]);
  expect([stderr[0]?.replace(address, 'ADDRESS'), exit]).toEqual([error, 4]);
});

it('[D308] a registry that says of a page that it follows itself is asked no further', async () => {
  const text = { machine: 'rover-7', level: 'info', module: null, version: null, event: null };
  const [at, received_at] = ['2026-11-24T10:00:00Z', '2026-11-24T10:00:00Z'];
  let pages = 0;
  const address = await served(() => {
    pages += 1;
    const lines = [{ ...text, at, received_at, text: `page ${pages}` }];
    return Response.json({ lines, dropped: { count: 3, until: at }, next: pages < 4 ? 5 : null });
  });
  expect(await printed(['fleet', 'logs', '--machine', 'rover-7', '--registry', address])).toEqual({
    stdout: ['2026-11-24T10:00:00.000Z info  page 2', '2026-11-24T10:00:00.000Z info  page 1'],
    stderr: ['3 lines until 2026-11-24T10:00:00Z were dropped by the registry for later ones'],
    exit: 0,
  });
});
