import { expect, it } from 'vitest';
import { line, NOW } from '../support/otlp-logs.ts';
import { tokenFor } from '../support/token.ts';
import { LINE, logging } from './support/logging.ts';

it.each(['machine:rover-7', 'fleet:read', 'config', 'wall'])(
  '[D308] with the scope %s, logs are not read',
  async (scope) => {
    const { registry } = logging();
    const authorization = `Bearer ${tokenFor(registry.catalogue, [scope], 'one')}`;
    const answer = await registry.ask('GET', '/v1/fleet/logs', { headers: { authorization } });
    const detail = 'the token t2 (one) does not have the scope logs:read';
    expect([answer.status, Object(answer.json).detail]).toEqual([403, detail]);
  },
);

it('[T712] what a machine with a clock in 1970, or in the far future, sends is found by the time at which it came', async () => {
  const { send, read, texts } = logging();
  await send('rover-7', [
    line('past', { at: 3000 }),
    line('future', { at: NOW + 86_400_001 }),
    line('lately', { at: NOW - 60_000 }),
  ]);
  expect(await texts('?since=2026-11-21T01:02:03Z')).toEqual(['future', 'past']);
  expect(await texts('?since=2026-11-21T01:02:04Z')).toEqual([]);
  expect(await texts('?since=2026-11-21T01:01:03Z')).toEqual(['lately', 'future', 'past']);
  expect(await read('?text=past')).toMatchObject({
    lines: [{ at: '1970-01-01T00:00:03Z', received_at: '2026-11-21T01:02:03Z' }],
  });
});

const LINES = [
  line('Begins', { module: 'acme_lidar' }),
  line('no SPACE left', { severity: 'warn', module: 'acme_lidar' }),
  line('100 %', { severity: 'error' }),
];

it.each([
  ['', ['100 %', 'no SPACE left', 'Begins']],
  ['?level=warn', ['100 %', 'no SPACE left']],
  ['?level=error', ['100 %']],
  ['?module=acme_lidar', ['no SPACE left', 'Begins']],
  ['?module=acme_lidar&level=error', []],
  ['?text=space%20LEFT', ['no SPACE left']],
  ['?text=%25', ['100 %']],
  ['?text=_', []],
  ['?machine=rover-7&limit=2', ['100 %', 'no SPACE left']],
  ['?machine=rover-9', []],
  ['?before=2', ['Begins']],
])('[D308] the question %s finds %j', async (query, found) => {
  const { send, texts } = logging();
  await send('rover-7', LINES);
  expect(await texts(query)).toEqual(found);
});

it.each([
  ['B_c', ['a_b_C']],
  ['_', ['a_b_C']],
  ['100 %', ['100 %']],
  ['\\', ['C:\\temp']],
  [':\\T', ['C:\\temp']],
  ['FTE', ['before\0after']],
  ['E\0A', ['before\0after']],
  ['e\0', ['before\0after']],
  ['größe', ['Größe']],
  ['GRößE', ['Größe']],
  ['GRÖßE', []],
  ['a'.repeat(10_001), ['A'.repeat(10_001)]],
  ['a'.repeat(10_000), ['A'.repeat(10_001)]],
])(
  '[D308] a part of a text is found as it is, but for the case of ASCII: %j',
  async (part, found) => {
    const { send, texts } = logging();
    const all = ['a_b_C', '100 %', 'C:\\temp', 'before\0after', 'Größe', 'A'.repeat(10_001)];
    await send(
      'rover-7',
      all.map((text) => line(text)),
    );
    expect(await texts(`?text=${encodeURIComponent(part)}`)).toEqual(found);
  },
);

it('[D308] a page says where the next one begins, and the last one says that there is none', async () => {
  const { send, read } = logging();
  await send('rover-7', LINES);
  const { next } = await read('?limit=2');
  expect(next).toBe(2);
  expect(await read(`?limit=2&before=${String(next)}`)).toMatchObject({
    lines: [{ text: 'Begins' }],
    next: null,
  });
});

it.each([
  ['limit=0', 'limit must be a number from 1 to 1000'],
  ['limit=1001', 'limit must be a number from 1 to 1000'],
  ['level=debug', 'level must be one of info, warn, error'],
  ['since=today', 'since must be a time of RFC 3339'],
  ['before=x', 'before must be next of an earlier response'],
])('[D308] the question %s is refused: %s', async (query, detail) => {
  expect(await logging().read(`?${query}`)).toMatchObject({ status: 400, detail });
});

it('[D308] where a machine says that it lost lines is a gap', async () => {
  const { send, read } = logging();
  const text = '12 lines until 2026-11-20T00:00:00Z were dropped before they were sent, in all';
  await send('rover-7', [line(text, { severity: 'warn', event: 'modreg.log.dropped' }), line('a')]);
  const { lines } = await read();
  expect(lines).toEqual([
    { ...LINE, text: 'a' },
    { ...LINE, level: 'warn', event: 'modreg.log.dropped', text, gap: true },
  ]);
});
