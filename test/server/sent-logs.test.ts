import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { exported, line, NOW } from '../support/otlp-logs.ts';
import { tokenFor } from '../support/token.ts';
import { LINE, logging, posted } from './support/logging.ts';

it('[D304] what a machine sends is stored as its own, whatever machine the request names', async () => {
  const { registry, read } = logging();
  const authorization = `Bearer ${tokenFor(registry.catalogue, ['machine:rover-8', 'group:a'], 'r8')}`;
  const module = { module: 'acme_lidar', version: '1.2.3', event: 'modreg.module.failed' } as const;
  const body = exported([line('a'), line('b', { severity: 'error', ...module })], 'rover-7');
  const sent = await registry.ask('POST', '/v1/logs', { headers: { authorization }, body });
  expect([sent.status, sent.json]).toEqual([200, {}]);
  expect(await read()).toEqual({
    lines: [
      { ...LINE, machine: 'rover-8', level: 'error', ...module, text: 'b' },
      { ...LINE, machine: 'rover-8', text: 'a' },
    ],
    dropped: null,
    next: null,
  });
  expect(await read('?machine=rover-7')).toEqual({ lines: [], dropped: null, next: null });
});

it.each([
  [[], 401, 'the request has no bearer token'],
  [['publish'], 403, 'the token t2 (one) does not have the scope machine:<id>'],
  [['logs:read'], 403, 'the token t2 (one) does not have the scope machine:<id>'],
  [['join:rover-7'], 403, 'the token t2 (one) does not have the scope machine:<id>'],
  [
    ['machine:rover-7', 'machine:rover-8'],
    403,
    'the token t2 (one) is of 2 machines, expected one: create a token for each',
  ],
])('[D304] with the scopes %j, logs are refused with %i: %s', async (scopes, status, detail) => {
  const { registry, texts } = logging();
  const token = scopes.length === 0 ? '' : tokenFor(registry.catalogue, scopes, 'one');
  const headers = { authorization: token && `Bearer ${token}` };
  const answer = await registry.ask('POST', '/v1/logs', { headers, body: exported([line('a')]) });
  expect([answer.status, Object(answer.json).detail]).toEqual([status, detail]);
  expect(await texts()).toEqual([]);
});

const GZIP = { 'content-encoding': 'gzip' };
const NO_GZIP = 'the body is not gzip, as content-encoding says';
const TOO_LARGE = 'the body may have at most 1048576 bytes, also uncompressed';

it.each<[string, string | Uint8Array, Readonly<Record<string, string>>, number, unknown]>([
  ['compressed', gzipSync(exported([line('a')])), GZIP, 200, {}],
  ['with an empty list', '{"resourceLogs":[]}', {}, 200, {}],
  ['with nothing', '{}', {}, 200, {}],
  [
    'Protobuf',
    'x',
    { 'content-type': 'application/x-protobuf' },
    415,
    'content-type is application/x-protobuf, expected application/json: Protobuf is not read',
  ],
  [
    'without a type',
    'x',
    { 'content-type': '' },
    415,
    'there is no content-type, expected application/json: Protobuf is not read',
  ],
  [
    'compressed by Brotli',
    'x',
    { 'content-encoding': 'br' },
    415,
    'content-encoding is br, expected gzip or none',
  ],
  ['not compressed', exported([line('a')]), GZIP, 400, NO_GZIP],
  ['cut off', gzipSync(exported([line('a')])).subarray(0, 40), GZIP, 400, NO_GZIP],
  ['too large', ' '.repeat(1_048_577), {}, 413, TOO_LARGE],
  ['too large once it is uncompressed', gzipSync(' '.repeat(1_048_577)), GZIP, 413, TOO_LARGE],
  ['no JSON', '{', {}, 400, 'the body is not JSON'],
  ['no UTF-8', Uint8Array.of(0xff), {}, 400, 'the body is not UTF-8'],
  ['a list', '[]', {}, 400, 'the body: expected an object'],
  ['of another form', '{"resourceLogs":{}}', {}, 400, '/resourceLogs: expected a list'],
  [
    'of another form within',
    '{"resourceLogs":[{},{"scopeLogs":[7]}]}',
    {},
    400,
    '/resourceLogs/1/scopeLogs/0: expected an object',
  ],
  [
    'with too many records',
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${'{},'.repeat(2048)}{}]}]}]}`,
    {},
    413,
    'the body has 2049 records, and may have 2048',
  ],
])('[D305] a request that is %s', async (_what, body, headers, ...answer) => {
  const site = logging();
  expect(await posted(site, body, headers)).toEqual(answer);
});

const UID = '0385a1b2-0000-8000-8000-00000000000';
const uid = (value: unknown = `${UID}1`): object => ({
  key: 'log.record.uid',
  value: { stringValue: value },
});

function record(fields: object = {}): object {
  return {
    timeUnixNano: `${NOW}000000`,
    body: { stringValue: 'bad' },
    attributes: [uid()],
    ...fields,
  };
}

const WITHOUT_UID = '/attributes: expected a UUID as log.record.uid';
const module = (value: unknown): object => ({ key: 'modreg.module', value });

it.each<[string, unknown, string]>([
  ['that is no object', 7, ': expected an object'],
  ['without a body', record({ body: undefined }), '/body: expected a stringValue'],
  ['with a number as body', record({ body: { intValue: 7 } }), '/body: expected a stringValue'],
  [
    'that is too long',
    record({ body: { stringValue: 'x'.repeat(65_537) } }),
    '/body: it has 65537 characters, and may have 65536',
  ],
  ['without an id', record({ attributes: [] }), WITHOUT_UID],
  ['with another id', record({ attributes: [uid('7')] }), WITHOUT_UID],
  [
    'with attributes of another form',
    record({ attributes: {} }),
    '/attributes: expected a list of at most 64',
  ],
  [
    'with too many attributes',
    record({ attributes: Array.from({ length: 65 }, () => uid()) }),
    '/attributes: expected a list of at most 64',
  ],
  [
    'with a number as module',
    record({ attributes: [uid(), module({ intValue: 7 })] }),
    '/attributes: expected a stringValue of modreg.module',
  ],
  [
    'with a long module',
    record({ attributes: [uid(), module({ stringValue: 'x'.repeat(257) })] }),
    '/modreg.module: it has 257 characters, and may have 256',
  ],
  [
    'with a long event',
    record({ eventName: 'x'.repeat(257) }),
    '/event: it has 257 characters, and may have 256',
  ],
  [
    'with a time that is none',
    record({ timeUnixNano: 'now' }),
    '/timeUnixNano: expected whole nanoseconds',
  ],
  [
    'with a time of too many digits',
    record({ timeUnixNano: '9'.repeat(21) }),
    '/timeUnixNano: expected whole nanoseconds',
  ],
])(
  '[D305] a record %s is counted as rejected, and those beside it are stored',
  async (_what, bad, why) => {
    const site = logging();
    const good = record({ body: { stringValue: 'good' }, attributes: [uid(`${UID}2`)] });
    const logRecords = [good, bad, 7];
    const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
    const errorMessage = `the first that cannot be stored: /resourceLogs/0/scopeLogs/0/logRecords/1${why}`;
    expect(await posted(site, body)).toEqual([
      200,
      { partialSuccess: { rejectedLogRecords: '2', errorMessage } },
    ]);
    expect(await site.texts()).toEqual(['good']);
  },
);

it.each<[string, object, string, string]>([
  ['0', {}, 'info', LINE.at],
  ['9, INFO', { severityNumber: 9 }, 'info', LINE.at],
  ['12, INFO4', { severityNumber: 12 }, 'info', LINE.at],
  ['13, WARN', { severityNumber: 13 }, 'warn', LINE.at],
  ['16, WARN4', { severityNumber: 16 }, 'warn', LINE.at],
  ['17, ERROR', { severityNumber: 17 }, 'error', LINE.at],
  ['24, FATAL4', { severityNumber: 24 }, 'error', LINE.at],
  [
    '0, observed at',
    { timeUnixNano: '0', observedTimeUnixNano: `${NOW - 1000}000000` },
    'info',
    '2026-11-21T01:02:02Z',
  ],
  ['0 without a time', { timeUnixNano: undefined }, 'info', LINE.at],
])('[D305] the severity number %s', async (_what, fields, level, at) => {
  const site = logging();
  const body = JSON.stringify({
    resourceLogs: [{ scopeLogs: [{ logRecords: [record(fields)] }] }],
  });
  expect(await posted(site, body)).toEqual([200, {}]);
  expect(await site.read()).toMatchObject({ lines: [{ level, at }] });
});
