import { expect, it } from 'vitest';
import { parsePlatform } from '../../../src/core/index.ts';

it.each([
  ['linux/amd64', 'linux/amd64'],
  ['linux/x86_64', 'linux/amd64'],
  ['linux/x64', 'linux/amd64'],
  ['linux/arm64', 'linux/arm64'],
  ['linux/aarch64', 'linux/arm64'],
])('[T32] %s is the platform %s', (text, value) => {
  expect(parsePlatform(text)).toEqual({ ok: true, value });
});

it.each([
  ['', undefined],
  ['arm64', 'linux/arm64'],
  ['x86_64', 'linux/amd64'],
  ['linux', undefined],
  ['linux/', undefined],
  ['darwin/arm64', undefined],
  ['linux/arm64/v8', undefined],
  ['Linux/arm64', undefined],
  ['linux/any', undefined],
  ['linux/arm64\u0000', undefined],
])('%j is not a platform, and the suggestion is %s', (text, suggestion) => {
  expect(parsePlatform(text)).toMatchObject({
    error: { kind: 'bad-platform', text, expected: 'linux/amd64 or linux/arm64', suggestion },
  });
});
