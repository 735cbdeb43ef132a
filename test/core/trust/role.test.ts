import { describe, expect, it } from 'vitest';
import { roleOf } from '../../../src/core/trust/role.ts';
import { moduleId } from '../../support/ask.ts';

const acme = { threshold: 2, keys: ['a', 'b'] };
const others = { threshold: 1, keys: ['c'] };

describe('[D131] who signs the releases of a module', () => {
  it.each([
    ['acme:lidar', { acme, '*': others }, acme],
    ['acme:lidar', { '*': others }, others],
    ['acme:lidar', {}, undefined],
    ['ACME:lidar', { acme }, undefined],
    ['vendor:acme', { acme }, undefined],
    ['platform:agent', { '*': others }, undefined],
    ['platform:agent', { '*': others, platform: acme }, acme],
    ['platform-x:agent', { '*': others }, others],
  ])('%s with %j', (id, namespaces, expected) => {
    expect(roleOf({ namespaces: new Map(Object.entries(namespaces)) }, moduleId(id))).toBe(
      expected,
    );
  });
});
