import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { APPROVER, AUTHOR, role, ROOT_ONE, signed, STRANGER, trustOf } from '../support/signed.ts';
import { LIDAR, opened, publishIn, release, RELEASES, selected } from './support/trusted.ts';

/** What somebody writes who may write to the place of a registry. */
interface Content {
  readonly releases: readonly object[];
  readonly trust?: string;
}

const ROLES = [role('namespace acme', 1, AUTHOR)];
const TRUST = trustOf(ROLES);
const [ONE, TWO] = ['1.1.0', '1.2.0'].map((version) =>
  signed('acme:lidar', release(version), AUTHOR),
);
const HONEST: Content = { releases: [ONE ?? {}, TWO ?? {}] };
const SECOND = trustOf([role('namespace acme', 1, APPROVER)], [ROOT_ONE], { version: 2 }).text;

/** Writes a folder or the file of a registry anew. */
const WRITERS: Readonly<Record<string, (path: string, content: Content) => void>> = {
  folder(path, { releases, trust = TRUST.text }) {
    mkdirSync(`${path}/acme`, { recursive: true });
    writeFileSync(`${path}/acme/lidar.json`, JSON.stringify({ releases }));
    writeFileSync(`${path}/trust.txt`, trust);
  },
  file(path, { releases, trust = TRUST.text }) {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    const catalogue = new Catalogue(path, { mode: 'create' });
    publishIn(catalogue, releases);
    for (const document of trust.split(/(?=modreg\/trust@1\n)/)) {
      expect(catalogue.trust.store(document).ok).toBe(true);
    }
    catalogue.close();
  },
};

describe.each(Object.entries(WRITERS))('[T598] [D206] who writes to a %s', (kind, write) => {
  const path = (): string => `${temporaryFolder()}/${kind === 'file' ? 'registry.db' : 'registry'}`;

  it.each<[string, Content, readonly unknown[]]>([
    [
      'arbitrary installation: forged releases',
      { releases: RELEASES },
      ['1.4.0', ['1.5.0: unsigned', '1.3.0: older', '1.2.0: older']],
    ],
    [
      'arbitrary installation: a release of a stranger',
      { releases: [...HONEST.releases, signed('acme:lidar', release('1.3.0'), STRANGER)] },
      ['1.2.0', ['1.3.0: bad-signature', '1.1.0: older']],
    ],
    [
      'wrong software: the release of another module',
      { releases: [...HONEST.releases, signed('acme:radar', release('1.3.0'), AUTHOR)] },
      ['1.2.0', ['1.3.0: bad-signature', '1.1.0: older']],
    ],
    [
      'wrong software: the file of another release',
      {
        releases: [
          ONE ?? {},
          {
            ...signed('acme:lidar', release('1.3.0'), AUTHOR),
            artifacts: release('1.1.0').artifacts,
          },
        ],
      },
      ['1.1.0', ['1.3.0: bad-signature']],
    ],
    // Nothing says how new a folder or a file is: what was signed once can be shown again, and later releases hidden.
    ['rollback and freeze: an old list', { releases: [ONE ?? {}] }, ['1.1.0', []]],
    [
      'key compromise: the key was removed, and signs on',
      { ...HONEST, trust: `${TRUST.text}${SECOND}` },
      [undefined, ['1.2.0: bad-signature', '1.1.0: bad-signature']],
    ],
  ])('%s', async (_title, content, expected) => {
    const place = path();
    write(place, HONEST);
    const registry = opened(place, TRUST.pin);
    expect(await selected(registry, '1.*')).toEqual(['1.2.0', ['1.1.0: older']]);
    write(place, content);
    expect(await selected(registry, '1.*')).toEqual(expected);
    expect(await selected(opened(place, TRUST.pin), '1.*')).toEqual(expected);
    // It ends with the attack: no number and no file of it is remembered. A removed key stays removed.
    write(place, HONEST);
    const isRemoved = content.trust !== undefined;
    expect(await selected(registry, '1.*')).toEqual(
      isRemoved ? expected : ['1.2.0', ['1.1.0: older']],
    );
  });

  it('fast-forward: a trust document of a high number that no root key signed', async () => {
    const place = path();
    write(place, HONEST);
    const registry = opened(place, TRUST.pin);
    await selected(registry, '1.*');
    const high = trustOf(ROLES, [STRANGER], { version: 2 }).text;
    if (kind === 'folder') write(place, { ...HONEST, trust: `${TRUST.text}${high}` });
    expect(await selected(registry, '1.*')).toEqual(['1.2.0', ['1.1.0: older']]);
  });
});

/** Why a registry at a path has no list; true if it has one. */
async function trouble(place: string): Promise<unknown> {
  const found = (await opened(place, TRUST.pin).readAll([LIDAR])).get(LIDAR);
  return found?.ok === false
    ? [found.error.kind, found.error.message.replaceAll(place, '…')]
    : found?.ok;
}

describe('[T598] who writes to a folder', () => {
  it('extraneous dependencies: of a release, and of a list', async () => {
    const place = `${temporaryFolder()}/registry`;
    WRITERS['folder']?.(place, HONEST);
    const more = { dependencies: { 'evil:twin': '*' }, scripts: { postinstall: 'reboot' } };
    const list = JSON.stringify({ releases: [{ ...TWO, ...more }], ...more });
    writeFileSync(`${place}/acme/lidar.json`, list);
    expect(await selected(opened(place, TRUST.pin), '1.*')).toEqual(['1.2.0', []]);
  });

  it.each<[string, (place: string) => void, readonly unknown[]]>([
    [
      'slow retrieval: a pipe in place of a list',
      (place) => {
        rmSync(`${place}/acme/lidar.json`);
        spawnSync('mkfifo', [`${place}/acme/lidar.json`]);
      },
      ['unreadable-file', '"…/acme/lidar.json" is not a file'],
    ],
    [
      'slow retrieval: a pipe in place of the trust document',
      (place) => {
        rmSync(`${place}/trust.txt`);
        spawnSync('mkfifo', [`${place}/trust.txt`]);
      },
      ['unreadable-file', '"…/trust.txt" is not a file'],
    ],
    [
      'endless data: a list',
      (place) => truncateSync(`${place}/acme/lidar.json`, 64 * 1024 * 1024 + 1),
      ['list-too-large', '"…/acme/lidar.json" has 67108865 bytes (limit 67108864)'],
    ],
    [
      'endless data: a trust document',
      (place) => writeFileSync(`${place}/trust.txt`, ' '.repeat(64 * 1024 + 1)),
      ['list-too-large', '"…/trust.txt" has 65537 bytes (limit 65536)'],
    ],
  ])('%s', async (_title, change, expected) => {
    const place = `${temporaryFolder()}/registry`;
    WRITERS['folder']?.(place, HONEST);
    change(place);
    expect(await trouble(place)).toEqual(expected);
  });
});
