import { expect, it } from 'vitest';
import {
  missingScope,
  parseScope,
  type Change,
  type Scope,
} from '../../src/server/tokens/scope.ts';

function scopesOf(texts: readonly string[]): Scope[] {
  return texts.map((text) => {
    const scope = parseScope(text);
    if (!scope.ok) throw new Error(scope.error);
    return scope.value;
  });
}

it.each([
  'publish',
  'yank:acme',
  'import:4c3d1f2e-0000-4000-8000-000000000000',
  'machine:rover-7.site_2',
  'logs:read',
  'outcomes:acme',
  'fleet:read',
  'trust',
  `machine:${'m'.repeat(128)}`,
  `publish:${'n'.repeat(63)}`,
])('%s is a scope', (text) => {
  expect(parseScope(text)).toEqual({ ok: true, value: text });
});

it.each([
  '',
  'Publish',
  'publish:',
  'publish:acme:lidar',
  'publish:a cme',
  'publish,yank',
  'publish yank',
  'machine',
  'machine:',
  `machine:${'m'.repeat(129)}`,
  `publish:${'n'.repeat(64)}`,
  'logs',
  'outcomes',
  'outcomes:acme:lidar',
  'trust:acme',
  'logs:write',
  'admin',
  'yank:acme\n',
])('%j is not a scope', (text) => {
  const forms =
    'publish, yank, rollout or import, each with or without :<namespace>, outcomes:<namespace>, machine:<id>, group:<group>, fleet:read, wall, config, commands, trust, or logs:read';
  const shown = text.replace('\n', '\\u{a}');
  const error = `"${shown}" is not a scope, expected ${forms}`;
  expect(parseScope(text)).toEqual({ ok: false, error });
});

it.each<[readonly string[], Change, string | undefined]>([
  [['publish'], 'publish', undefined],
  [['publish:acme'], 'publish', undefined],
  [['publish:nimbus', 'publish:acme'], 'publish', undefined],
  [['import'], 'publish', undefined],
  [['import:acme'], 'publish', undefined],
  [['import:acme'], 'import', undefined],
  [['yank:acme'], 'yank', undefined],
  [[], 'publish', 'publish:acme'],
  [['publish:nimbus'], 'publish', 'publish:acme'],
  [['import:nimbus'], 'publish', 'publish:acme'],
  [['yank', 'machine:acme', 'logs:read'], 'publish', 'publish:acme'],
  [['publish'], 'import', 'import:acme'],
  [['import', 'publish'], 'yank', 'yank:acme'],
])('%j lacks, to %s in acme: %s', (scopes, change, missing) => {
  expect(missingScope(scopesOf(scopes), change, 'acme')).toBe(missing);
});
