import { expect, it } from 'vitest';
import { readUpdatePolicy } from '../../src/config/index.ts';
import { logDestination } from '../../src/config/log-destination.ts';
import { value } from '../support/reading.ts';

const ENVIRONMENT = {
  TOKEN: 'hunter2',
  EMPTY: '',
  LINES: 'hunter2\r\nhost: evil.example',
  PLATFORM_API_KEY: 'hunter2',
};
const ENDPOINT = 'https://collector.example/v1/logs';

function destination(headers: object, rest: object = {}): ReturnType<typeof logDestination> {
  const policy = { logs: { endpoint: ENDPOINT, headers }, ...rest };
  return logDestination(value(readUpdatePolicy(JSON.stringify(policy))), ENVIRONMENT);
}

it('a policy without logs names no collector', () => {
  expect(logDestination(value(readUpdatePolicy('{}')), ENVIRONMENT)).toEqual({
    ok: true,
    value: undefined,
  });
});

it.for([
  [{}, {}, {}],
  [{ authorization: 'Bearer ${environment.TOKEN}' }, {}, { authorization: 'Bearer hunter2' }],
  [{ 'x-scope-orgid': 'site-7' }, {}, { 'x-scope-orgid': 'site-7' }],
  [
    { 'x-api-key': '${environment.PLATFORM_API_KEY}' },
    { env_allow: ['PLATFORM_API_KEY'] },
    { 'x-api-key': 'hunter2' },
  ],
] as const)('the headers %j with %j are %j', ([headers, rest, expected]) => {
  const found = destination(headers, rest);
  const sent = Object.entries(found.ok ? (found.value?.headers ?? {}) : {});
  expect(Object.fromEntries(sent.map(([name, one]) => [name, one.reveal()]))).toEqual(expected);
  expect(JSON.stringify(found)).not.toContain('hunter2');
});

it.for([
  ['${environment.MISSING}', 'the agent has no variable MISSING, which the header x-api-key needs'],
  [
    '${environment.PLATFORM_API_KEY}',
    "PLATFORM_API_KEY, which the header x-api-key needs, is a secret of the agent that the policy's env_allow does not list",
  ],
  [
    '${environment.EMPTY}',
    'the header x-api-key is empty, or contains what a header cannot contain',
  ],
  [
    '${environment.LINES}',
    'the header x-api-key is empty, or contains what a header cannot contain',
  ],
] as const)('the header %j is refused', ([header, error]) => {
  expect(destination({ 'x-api-key': header })).toEqual({ ok: false, error });
});
