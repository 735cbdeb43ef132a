import { describe, expect, it } from 'vitest';
import {
  checkDocument,
  jsonSchemaOf,
  readAgentConfiguration,
  readMachine,
  readUpdatePolicy,
} from '../../src/config/index.ts';
import { value } from '../support/reading.ts';

function values(count: number): string {
  return `{"modules":[],"a":[${Array.from({ length: count - 3 }, () => 0).join()}]}`;
}

function deep(depth: number): string {
  return `{"modules":[],"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
}

/** A policy with `general` windows, and `own` windows for one module. */
function windows(general: number, own: number): string {
  const window = { start: '0 2 * * *', duration: '2h', time_zone: 'UTC' };
  const list = (count: number): object[] => Array.from({ length: count }, () => window);
  return JSON.stringify({
    maintenance: list(general),
    modules: { lidar: { maintenance: list(own) } },
  });
}

describe('the kind of a document is detected from its fields', () => {
  it.each<[string, object]>([
    ['machine', {}],
    ['machine', { components: [] }],
    ['machine', { modules: [] }],
    ['machine', { agent: {} }],
    ['machine', { agent: {}, registry: 'x' }],
    ['machine', { modules: [], registry: 'x' }],
    ['machine', { unknown: 1 }],
    ['agent', { 'platform-agent': {} }],
    ['agent', { 'platform-server': {} }],
    ['agent', { 'agent-provisioning': {} }],
    ['agent', { 'agent-syscfg': {}, modules: [] }],
    ['policy', { modules: {} }],
    ...Object.keys(Object(jsonSchemaOf('policy')['properties']))
      .filter((field) => field !== 'modules' && field !== '$schema')
      .map((field): [string, object] => ['policy', { [field]: null }]),
  ])('as %s: %j', (kind, document) => {
    expect(checkDocument(JSON.stringify(document), undefined).kind).toBe(kind);
  });
});

describe('a document at its bounds', () => {
  it('may have 4 MiB, 100,000 values and 64 levels, and no more', () => {
    const largest = ' '.repeat(4 * 1024 * 1024 - 2);
    expect(readMachine(`{}${largest}`).ok).toBe(true);
    expect(readMachine(`{}${largest} `).problems.map(({ kind }) => kind)).toEqual(['too-large']);
    expect(readMachine(values(100_000)).ok).toBe(true);
    expect(readMachine(values(100_001)).ok).toBe(false);
    expect(readMachine(deep(64)).ok).toBe(true);
    expect(readMachine(deep(65)).ok).toBe(false);
  });

  it('[T95] a policy may have 100 maintenance windows in all its lists, and no more', () => {
    expect(readUpdatePolicy(windows(60, 40)).ok).toBe(true);
    const { ok, problems } = readUpdatePolicy(windows(60, 41));
    expect([ok, problems.map(({ kind, path, message }) => ({ kind, path, message }))]).toEqual([
      false,
      [
        {
          kind: 'out-of-range',
          path: '',
          message: 'found 101 maintenance windows, expected at most 100 in a policy',
        },
      ],
    ]);
  });

  it('counts lines that end with LF, CR or CRLF', () => {
    const { problems } = readMachine('{\r\n"a":1,\r"b":1,\n\r"c":1,"modules":[]}');
    expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual(['2:1', '3:1', '5:1']);
  });
});

it('a bad name and a bad term below it are two problems', () => {
  const { problems } = readUpdatePolicy('{"modules":{"a/b":{"restart_ceiling":0}}}');
  expect(problems.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'bad-value /modules',
    'out-of-range /modules/a~1b/restart_ceiling',
  ]);
});

describe('plain http', () => {
  it.each([
    [`http://a.example/x#sha256=${'0a'.repeat(32)}`, []],
    [`http://a.example/x#sha512=${'0a'.repeat(64)}`, []],
    ['http://a.example/x', ['/platform-agent/pin_url']],
    ['http://a.example/x#readme', ['/platform-agent/pin_url']],
    ['http://127.0.0.1/x', []],
  ])('is allowed to a host in allow_http if the file has a digest: %s (D36)', (url, paths) => {
    const { problems } = readAgentConfiguration(
      JSON.stringify({ 'platform-agent': { pin_url: url } }),
      { policy: value(readUpdatePolicy('{"allow_http":["a.example"]}')) },
    );
    expect(problems.map(({ path }) => path)).toEqual(paths);
  });

  it.each([
    ['{"allow_http":["a.example"],"modules":{"m":{"registry":"http://a.example"}}}', []],
    [
      '{"allow_http":["a.example"],"modules":{"m":{"registry":"http://a.example","allow_http":[]}}}',
      ['/modules/m/registry'],
    ],
    ['{"modules":{"m":{"registry":"http://a.example","allow_http":["a.example"]}}}', []],
    ['{"modules":{"m":{"registry":"http://a.example"}}}', ['/modules/m/registry']],
    [
      '{"registry":"http://a.example","allow_http":["a.example"],"modules":{"m":{"allow_http":[]},"n":{}}}',
      ['/modules/m/allow_http'],
    ],
  ])('is checked for each module of a policy: %s', (text, paths) => {
    expect(readUpdatePolicy(text).problems.map(({ path }) => path)).toEqual(paths);
  });
});
