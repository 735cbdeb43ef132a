import { describe, expect, it } from 'vitest';
import { parseModuleId } from '../../../src/core/index.ts';

const HALF = 'a'.repeat(63);
const IN_NAMESPACE = 'a letter, a digit, "_", "-" or ":", as in <namespace>:<name>';
const IN_NAME = 'a letter, a digit, "_", "-" or the end';

it.each([
  'acme:lidar',
  'a:b',
  '0:9',
  'Acme_1:li-dar_',
  '2b1f7c9e-0000-4000-8000-00000000abcd:cam',
  `${HALF}:${HALF}`,
])('accepts %s', (text) => {
  expect(parseModuleId(text)).toEqual({ ok: true, value: text });
});

describe('[T10] refuses', () => {
  it.each([
    ['', 0, 'a letter or a digit'],
    ['lidar', 5, IN_NAMESPACE],
    [':lidar', 0, 'a letter or a digit'],
    ['acme:', 5, 'a letter or a digit'],
    ['..:..', 0, 'a letter or a digit'],
    ['acme:..', 5, 'a letter or a digit'],
    ['-a:b', 0, 'a letter or a digit'],
    ['_a:b', 0, 'a letter or a digit'],
    ['acme/lidar', 4, IN_NAMESPACE],
    ['acme:li/dar', 7, IN_NAME],
    ['acme:lidar:x', 10, IN_NAME],
    ['acme:%2e', 5, 'a letter or a digit'],
    ['acme:lidar\u0000', 10, IN_NAME],
    ['acme:lidar\n', 10, IN_NAME],
    ['acme:lidar\r\nx', 10, IN_NAME],
    ['acme:\u202eradil', 5, 'a letter or a digit'],
    ['\u0430cme:lidar', 0, 'a letter or a digit'],
    [`a${HALF}:b`, 63, 'at most 63 characters here'],
    [`a:b${HALF}`, 65, 'at most 63 characters here'],
    ['a'.repeat(300), 63, 'at most 63 characters here'],
  ])('%j', (text, position, expected) => {
    expect(parseModuleId(text)).toMatchObject({
      ok: false,
      error: { kind: 'bad-module-id', text, position, expected, suggestion: undefined },
    });
  });

  it('a version after it, and suggests the id without it', () => {
    expect(parseModuleId('acme:lidar@1.2.9')).toMatchObject({
      error: { position: 10, expected: IN_NAME, suggestion: 'acme:lidar' },
    });
  });

  it.each([
    [undefined, 'nothing', 'nothing is not a module id'],
    [['acme:lidar'], 'a list', 'a list is not a module id'],
  ])('%j', (value, text, message) => {
    expect(parseModuleId(value)).toMatchObject({ error: { text, message, expected: 'text' } });
  });
});
