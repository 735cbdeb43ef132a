import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certifiedNames, shownName } from '../../../src/page/access/host-names.ts';
import { fixture } from '../../support/tls.ts';

const NAMES = readFileSync(fixture('names'));
const ELSEWHERE = readFileSync(fixture('elsewhere'));

describe('the names of a page with TLS (T124)', () => {
  it.each([
    ['rover.example', true],
    ['arm.site.example', true],
    ['[::1]', true],
    ['[0:0:0:0:0:0:0:1]', true],
    // The subject of the certificate, which browsers ignore too.
    ['names', false],
    ['a.arm.site.example', false],
    ['elsewhere.example', false],
    ['127.0.0.1', false],
    ['*.site.example', false],
  ])('%s: %s', (name, isCovered) => {
    expect(certifiedNames(() => NAMES)(name)).toBe(isCovered);
  });

  it('are those of a renewed certificate once there is one', () => {
    let current = NAMES;
    const names = certifiedNames(() => current);
    expect([names('rover.example'), names('elsewhere.example')]).toEqual([true, false]);
    current = ELSEWHERE;
    expect([names('rover.example'), names('elsewhere.example')]).toEqual([false, true]);
  });
});

it.each([
  [['0.0.0.0', 'arm.site.example'], 'arm.site.example'],
  [['0.0.0.0', 'arm'], 'rover.example'],
  [['::1', 'arm.site.example'], '::1'],
  [[], 'rover.example'],
])('of %o and the names of the certificate, %s is shown', (preferred, expected) => {
  expect(shownName(NAMES, preferred)).toBe(expected);
});
