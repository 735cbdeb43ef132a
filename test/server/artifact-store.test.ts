import { createHash } from 'node:crypto';
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { hostedUrl } from '../../src/registry/formats/hosted-artifact.ts';
import {
  artifactFolder,
  artifactPath,
  asDiskError,
  findArtifact,
} from '../../src/server/artifacts/artifact-store.ts';
import { newPart, removeAbandoned } from '../../src/server/artifacts/incoming-artifacts.ts';
import { Catalogue, readRelease, type PublishResult } from '../../src/server/index.ts';
import {
  receiveArtifact,
  type ArtifactMismatch,
} from '../../src/server/artifacts/receive-artifact.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';

const LIDAR = moduleId('acme:lidar');
const TEXT = 'the module';
const HEX = sha256Of(TEXT);
const DAY = 86_400_000;

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function newCatalogue(): Catalogue {
  return new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
}

async function* chunks(...texts: readonly (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) {
    if (text instanceof Error) throw text;
    yield await Promise.resolve(Buffer.from(text));
  }
}

async function receive(
  path: string,
  ...texts: readonly (string | Error)[]
): Promise<ArtifactMismatch | undefined> {
  const announced = { sha256: HEX, size: TEXT.length, isListed: false };
  return await receiveArtifact(path, announced, chunks(...texts));
}

/** All files of the store, with their modes. */
function filesBeside(path: string): string[] {
  const folder = artifactFolder(path);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => `${(statSync(`${folder}/${name}`).mode & 0o777).toString(8)} ${name}`);
}

function publish(catalogue: Catalogue, version: string, size = TEXT.length): PublishResult {
  const file = { platform: 'any', url: hostedUrl(HEX), digest: `sha256:${HEX}` };
  const release = readRelease({ version, artifacts: [{ ...file, size }] });
  if (!release.ok) throw new Error(release.error.join('; '));
  return catalogue.publish(LIDAR, release.value, 0);
}

const EMPTY = ['700 incoming', '700 sha256'];

describe('[T85] receiving a file', () => {
  it('stores it privately, and a release that lists it keeps it', async () => {
    const catalogue = newCatalogue();
    const { path } = catalogue;
    expect(publish(catalogue, '1.0.0')).toBe('missing-file');
    expect(await receive(path, 'the ', 'module')).toBeUndefined();
    expect(filesBeside(path)).toEqual(['700 incoming', `600 incoming/${HEX}`, '700 sha256']);
    expect(publish(catalogue, '1.0.0', 9)).toBe('missing-file');
    expect(catalogue.modules()).toEqual([]);
    expect(publish(catalogue, '1.0.0')).toBe('published');
    expect(filesBeside(path)).toEqual([...EMPTY, `600 sha256/${HEX}`]);
    expect(publish(catalogue, '1.0.1')).toBe('published');
    expect(filesBeside(path)).toEqual([...EMPTY, `600 sha256/${HEX}`]);
    expect(readFileSync(artifactPath(path, HEX), 'utf8')).toBe(TEXT);
    expect([...catalogue.listedArtifacts()]).toEqual([[HEX, TEXT.length]]);
    // A file that a later release lists is known as well.
    const other = { sha256: sha256Of('other'), size: 5, isListed: false };
    await receiveArtifact(path, other, chunks('other'));
    const [file, url] = [{ platform: 'any', size: 5 }, hostedUrl(other.sha256)];
    const release = readRelease({
      version: '1.0.2',
      artifacts: [{ ...file, url, digest: `sha256:${other.sha256}` }],
    });
    expect(release.ok && catalogue.publish(LIDAR, release.value, 0)).toBe('published');
    expect([...catalogue.listedArtifacts().keys()]).toEqual([HEX, other.sha256]);
  });

  it('leaves space for what other uploads announced', async () => {
    const { path } = newCatalogue();
    const announced = { sha256: HEX, size: TEXT.length, isListed: false };
    const needs = { expected: 2 ** 52, freeDisk: 0 };
    await expect(receiveArtifact(path, announced, chunks(TEXT), needs)).rejects.toMatchObject({
      kind: 'unwritable',
      message: expect.stringMatching(
        /^"[^"]+-files": the disk has \d+ bytes free, and 4503599627370506 are needed: 0 must stay free$/,
      ),
    });
    expect(filesBeside(path)).toEqual(EMPTY);
  });

  it.each<[string, number, string | undefined]>([
    ['exactly what must stay free', 470, undefined],
    ['a byte less', 471, 'the disk has 500 bytes free, and 30 are needed: 471 must stay free'],
  ])('is allowed if it leaves %s', async (_, freeDisk, found) => {
    const { path } = newCatalogue();
    // What is reserved for root is not free.
    const space = { bavail: 5n, bfree: 1000n, bsize: 100n };
    vi.spyOn(fs, 'statfsSync').mockReturnValue(space as unknown as fs.StatsFs);
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    const announced = { sha256: HEX, size: TEXT.length, isListed: false };
    const message = await receiveArtifact(path, announced, chunks(TEXT), {
      expected: 20,
      freeDisk,
    }).catch((error: Error) => error.message);
    expect(message).toBe(found && `"${path}-files": ${found}`);
  });

  it.each(['EACCES', 'EDQUOT', 'EIO', 'ENOSPC', 'EROFS', 'ENOTDIR', 'ELOOP', 'EMFILE'])(
    'says that the folder cannot be used after %s, and not what else happened',
    (code) => {
      const cause = Object.assign(new Error('secret'), { code });
      const message = `"/x/registry.db-files": it cannot be used (${code})`;
      expect(asDiskError('/x/registry.db', cause)).toMatchObject({ kind: 'unwritable', message });
      const other = Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      expect(asDiskError('/x/registry.db', other)).toBe(other);
    },
  );

  it.each<[string, readonly string[], ArtifactMismatch]>([
    [
      'another digest',
      ['the ', 'Module'],
      { kind: 'other-digest', sha256: sha256Of('the Module') },
    ],
    ['a byte less', ['the ', 'modul'], { kind: 'fewer-bytes', size: 9 }],
    ['a byte more', ['the ', 'module', '!'], { kind: 'more-bytes' }],
    ['none', [], { kind: 'fewer-bytes', size: 0 }],
  ])('stores nothing if there is %s', async (_title, texts, mismatch) => {
    const { path } = newCatalogue();
    expect(await receive(path, ...texts)).toEqual(mismatch);
    expect(filesBeside(path)).toEqual(EMPTY);
  });

  it('stores nothing if the bytes end with an error', async () => {
    const { path } = newCatalogue();
    const gone = new Error('the client is gone');
    await expect(receive(path, 'the ', gone)).rejects.toBe(gone);
    expect(filesBeside(path)).toEqual(EMPTY);
  });

  it('stops reading at the first byte too many', async () => {
    const { path } = newCatalogue();
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) yield await Promise.resolve(Buffer.alloc(8, read++));
    }
    const announced = { sha256: HEX, size: TEXT.length, isListed: false };
    expect(await receiveArtifact(path, announced, endless())).toEqual({ kind: 'more-bytes' });
    expect(read).toBe(2);
  });

  it('stores two uploads of the same file at once', async () => {
    const catalogue = newCatalogue();
    const { path } = catalogue;
    const both = await Promise.all([receive(path, TEXT), receive(path, 'the ', 'module')]);
    expect(both).toEqual([undefined, undefined]);
    expect(publish(catalogue, '1.0.0')).toBe('published');
    expect(filesBeside(path)).toEqual([...EMPTY, `600 sha256/${HEX}`]);
  });

  it('replaces what is left of a listed file', async () => {
    const catalogue = newCatalogue();
    const { path } = catalogue;
    await receive(path, TEXT);
    publish(catalogue, '1.0.0');
    writeFileSync(artifactPath(path, HEX), 'the');
    const announced = { sha256: HEX, size: TEXT.length, isListed: true };
    expect(await receiveArtifact(path, announced, chunks(TEXT))).toBeUndefined();
    expect(readFileSync(artifactPath(path, HEX), 'utf8')).toBe(TEXT);
  });

  it('does not follow a link in the place of a file', async () => {
    const catalogue = newCatalogue();
    const { path } = catalogue;
    await receive(path, 'x'.repeat(10));
    const target = `${temporaryFolder({ target: TEXT })}/target`;
    symlinkSync(target, `${artifactFolder(path)}/incoming/${HEX}`);
    expect(findArtifact(path, HEX)).toBeUndefined();
    expect(publish(catalogue, '1.0.0')).toBe('missing-file');
    await receive(path, TEXT);
    expect(readFileSync(target, 'utf8')).toBe(TEXT);
    expect(statSync(`${artifactFolder(path)}/incoming/${HEX}`).size).toBe(TEXT.length);
  });

  it('says that a registry in memory stores no files', async () => {
    const message = 'a registry in memory stores no files';
    await expect(receive(':memory:', TEXT)).rejects.toMatchObject({ kind: 'unwritable', message });
  });
});

describe('[T85] the name of a file', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is given when its bytes are on the disk', async () => {
    const { path } = newCatalogue();
    const handle = await open(path);
    const synced: string[][] = [];
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    vi.spyOn(prototype, 'sync').mockImplementation(async function (this: typeof handle) {
      synced.push(filesBeside(path).map((line) => line.replace(/\.\w+-\d+-\d+\.part$/, '.part')));
      await this.datasync();
    });
    await handle.close();
    await receive(path, TEXT);
    expect(synced).toEqual([['700 incoming', `600 incoming/${HEX}.part`, '700 sha256']]);
  });
});

describe('[T89] what an upload left behind', () => {
  it('is never a listed file, however old it is', async () => {
    const catalogue = newCatalogue();
    await receive(catalogue.path, TEXT);
    publish(catalogue, '1.0.0');
    removeAbandoned(catalogue.path, Date.now() + 1000 * DAY);
    expect(filesBeside(catalogue.path)).toEqual([...EMPTY, `600 sha256/${HEX}`]);
  });

  it('is not in the way of an upload, even if a process with the same number left it', async () => {
    const { path } = newCatalogue();
    const incoming = `${artifactFolder(path)}/incoming`;
    mkdirSync(incoming, { recursive: true });
    const { path: part, end } = newPart(incoming, HEX);
    end();
    // In a container, each server has the same number, and counts its parts from 1.
    const left = part.replace(/\d+(?=\.part$)/, (number) => `${Number(number) + 1}`);
    writeFileSync(left, 'the ');
    expect(await receive(path, TEXT)).toBeUndefined();
    expect(findArtifact(path, HEX)?.size).toBe(TEXT.length);
    expect(readFileSync(left, 'utf8')).toBe('the ');
  });

  it('is not the part of an upload that this process receives', async () => {
    const { path } = newCatalogue();
    async function* pruning(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('the '));
      removeAbandoned(path, Date.now());
      yield Buffer.from('module');
    }
    const announced = { sha256: HEX, size: TEXT.length, isListed: false };
    expect(await receiveArtifact(path, announced, pruning())).toBeUndefined();
    expect(findArtifact(path, HEX)?.size).toBe(TEXT.length);
  });
});
