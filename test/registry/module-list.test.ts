import { describe, expect, it } from 'vitest';
import { RegistryError, type ReleaseList } from '../../src/registries/index.ts';
import { noteOrigin, originOf } from '../../src/registry/list-origin.ts';
import { moduleListOf } from '../../src/registry/module-list.ts';

const LIST: ReleaseList = {
  records: [{ version: '1.0.0' }, { version: '1.1.0' }],
  dropped: [],
  source: 'saved',
  from: 'https://registry.example',
  fetchedAt: 1000,
};
const DOWN = new RegistryError('registry-unreachable', 'down');
const CHANGED = new Map([['1.1.0', { platform: 'any', first: 'sha256:aa', now: undefined }]]);

describe('a list result as the list of a plan', () => {
  it('has the releases and changed digests', () => {
    const list = moduleListOf({ ok: true, value: { ...LIST, changedDigests: CHANGED } });
    expect(list).toMatchObject({ changedDigests: CHANGED, stale: undefined });
    const versions =
      'index' in list ? Array.from(list.index.releases(), ({ version }) => version.text) : [];
    expect(versions).toEqual(['1.1.0', '1.0.0']);
  });

  it('has the times when releases were first seen, and the origin of the list', () => {
    const firstSeen = { since: 1, added: new Map([['1.1.0', { after: 1, at: 2 }]]) };
    const origin = { address: 'modreg:https://registry.example/', digest: 'aa' };
    const records = [...LIST.records];
    noteOrigin(records, origin);
    const list = moduleListOf({ ok: true, value: { ...LIST, records, firstSeen } });
    expect(list).toMatchObject({ firstSeen });
    expect('index' in list && originOf(list.index)).toEqual(origin);
  });

  it('[D21] has the time and the error of a saved list that is used', () => {
    const list = moduleListOf({ ok: true, value: { ...LIST, stale: DOWN } });
    expect(list).toMatchObject({ stale: { confirmedAt: 1000, message: 'down' } });
  });

  it('[D21] is the error if there is no list', () => {
    expect(moduleListOf({ ok: false, error: DOWN })).toMatchObject({ error: DOWN });
  });
});
