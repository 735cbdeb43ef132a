import { expect, it } from 'vitest';
import { decodeEvent, encodeEvent, subjectOf, type FleetEvent } from '../../src/cluster/event.ts';
import type { SeenFront } from '../../src/cluster/front-name.ts';
import { olderFrontIn } from '../../src/cluster/older-front.ts';
import { testClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { tokenFor } from '../support/token.ts';
import { filledStream, frontOf, NOW } from './support/following-front.ts';

const ABOUT = { at: NOW, author: 'a', reason: 'b' };
const DOCUMENTS = { ...ABOUT, machine: 'rover-7', basedOn: 1, config: '{}', policy: undefined };
const SOURCE = { config: '{}', policy: '{}', fragments: ['base'] };
const SIGNED = { id: 'k', givenAt: NOW, signatures: { abc: 'def' } };
const WISH = {
  ...ABOUT,
  key: 'k',
  kind: 'unquarantine',
  module: 'acme:lidar',
  term: undefined,
  version: '1.2.3',
  expiresAt: NOW + 1,
} as const;

const EVENTS: readonly (readonly [string, FleetEvent])[] = [
  ['documents', { kind: 'config', ...DOCUMENTS, source: undefined }],
  ['documents with fragments', { kind: 'config', ...DOCUMENTS, policy: '{}', source: SOURCE }],
  [
    'signatures',
    { kind: 'config-signatures', machine: 'rover-7', revision: 1, signatures: { abc: 'def' } },
  ],
  [
    'a fragment',
    {
      kind: 'fragment',
      next: { ...ABOUT, name: 'base', revision: 2, content: '{}' },
      users: 'x',
      documents: [{ ...DOCUMENTS, source: SOURCE }],
    },
  ],
  ['a command', { kind: 'commands', wish: { ...WISH, signed: SIGNED }, machines: ['rover-7'] }],
  ['a command to a group', { kind: 'commands', wish: WISH, machines: ['rover-7', 'rover-8'] }],
  [
    'what machines say',
    {
      kind: 'heard',
      words: [
        { about: 'asking', machine: 'rover-7' },
        { about: 'documents', machine: 'rover-7', at: NOW, applied: 1, refused: undefined },
        {
          about: 'documents',
          machine: 'rover-8',
          at: NOW,
          applied: undefined,
          refused: { revision: 1, code: 'loosens', detail: 'x' },
        },
        {
          about: 'commands',
          machine: 'rover-7',
          at: NOW,
          outcomes: [{ number: 1, result: 'done', detail: '' }],
        },
      ],
    },
  ],
  [
    'a secret',
    {
      kind: 'secret',
      machine: 'rover-7',
      name: 'MAPS',
      secret: { places: ['a'], key: 'k', sealed: 's' },
    },
  ],
  ['a secret that is removed', { kind: 'secret', machine: 'rover-7', name: 'MAPS', secret: null }],
  ['rows of documents', { kind: 'rows', rows: [['commanded_machines', 'rover-7']] }],
];

it.each(EVENTS)(
  '[T792] %s: an event that earlier fronts take for that of a later modreg',
  (_title, event) => {
    const text = encodeEvent(event);
    expect([Object(JSON.parse(text)).schema, subjectOf(event)]).toEqual([3, 'modreg.fleet']);
    expect(decodeEvent(text)).toEqual({ ok: true, value: { event, mended: undefined } });
  },
);

it('[D397] a long event is compressed, and read as it was written', () => {
  const content = JSON.stringify({ modules: Array.from({ length: 5000 }, () => ({ id: 'x' })) });
  const next = { ...ABOUT, name: 'base', revision: 2, content };
  const event: FleetEvent = { kind: 'fragment', next, users: 'x', documents: [] };
  const text = encodeEvent(event);
  expect(text.length).toBeLessThan(content.length / 10);
  expect(decodeEvent(text)).toEqual({ ok: true, value: { event, mended: undefined } });
});

it.each([
  [
    '{"schema":4,"zstd":"KLUv/SQAAQAAmen1Uw=="}',
    'later',
    'it has schema 4, and this modreg understands 3',
  ],
  [
    '{"schema":3,"zstd":"AAAA"}',
    'malformed',
    '"Invalid type: Expected Object but received undefined"',
  ],
  [
    '{"schema":3,"kind":"heard","words":[{"about":"asking"}]}',
    'malformed',
    '"/words/0/machine: Invalid key: Expected "machine" but received undefined"',
  ],
])('[T259] %s is not passed over: %s', (text, kind, message) => {
  expect(decodeEvent(text)).toEqual({ ok: false, error: { kind, message } });
});

const OLDER: SeenFront = { at: '10.0.0.7:51234', version: '0.3.0', reads: 2 };
const ROVER = '/v1/machines/rover-7';

it.each<[string, string, object]>([
  ['config', `${ROVER}/config`, { based_on: 0, config: '{}', reason: 'a test' }],
  ['config', '/v1/fragments/base', { based_on: 0, content: '{}', reason: 'a test' }],
  [
    'commands',
    `${ROVER}/commands`,
    { key: 'a'.repeat(22), kind: 'hold', for: '1h', reason: 'a test' },
  ],
])(
  '[T792] with the scope %s, PUT %s is refused while a front cannot read it',
  async (scope, path, body) => {
    const { stream } = filledStream();
    const older = olderFrontIn(async () => await Promise.resolve([OLDER]), testClock());
    const front = frontOf(stream, `${temporaryFolder()}/front.db`, undefined, older);
    await front.following.reaches(await stream.last(), 5000);
    const headers = {
      authorization: `Bearer ${tokenFor(front.catalogue, [scope])}`,
      'content-type': 'application/json',
    };
    const before = await stream.last();
    const { status, json } = await front.ask(path, {
      method: 'PUT',
      headers,
      body: JSON.stringify(body),
    });
    expect([status, json['detail']]).toEqual([
      409,
      'the front at 10.0.0.7:51234 has modreg 0.3.0, which reads events up to schema 2, and this change needs schema 3: upgrade modreg there first; nothing was changed',
    ]);
    expect(await stream.last()).toBe(before);
  },
);
