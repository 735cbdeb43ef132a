import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { refusalProblem, withWriter } from '../../src/site/remote-registry.ts';
import { sendUploads, storeUploads, uploadsOf, type Upload } from '../../src/site/uploads.ts';
import { RegistryError, type RegistryErrorKind } from '../../src/registry/registry-error.ts';
import type { ChangeResult, RegistryWriter } from '../../src/registry/registry-writer.ts';
import { Catalogue } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { NOON } from '../support/backups.ts';
import { temporaryFolder } from '../support/folder.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { quietWorld } from '../support/quiet-world.ts';

const WORLD = quietWorld('linux/x64');
type Refused = Exclude<ChangeResult, { kind: 'done' }>;

const NEVER_CHANGES =
  'a release never changes: yank it, and publish another version, with the files of all its platforms in one command';

describe('a change over HTTP that', () => {
  it.each<[Refused['kind'], object]>([
    ['already-published', { kind: 'already-published', message: 'why', hint: NEVER_CHANGES }],
    ['bad-release', { kind: 'bad-value', message: 'why', because: ['more'] }],
    ['bad-file', { kind: 'bad-value', message: 'why', because: ['more'] }],
    ['too-large', { kind: 'too-large', message: 'why' }],
    ['unknown-module', { kind: 'unknown-module', message: 'why' }],
    ['unknown-version', { kind: 'unknown-version', message: 'why' }],
    [
      'storage-full',
      {
        kind: 'registry-busy',
        message: 'the registry cannot write its files (507): why',
        hint: 'its disk is full or read-only: run the command again once its operator has changed that',
      },
    ],
  ])('is refused with %s', (kind, expected) => {
    const problem = refusalProblem({ kind, detail: 'why', errors: ['why', 'more'] });
    expect(problem).toEqual({ severity: 'error', ...expected });
  });

  const AGAIN =
    'the registry may have made the change: run the command again, which then changes nothing';
  const CHECK = "check the address: a registry with modreg's protocol is needed";
  const TOKEN =
    'set MODREG_TOKEN to a token, or add the line "ADDRESS <token>" to $PLATFORM_HOME/tokens (mode 0600)';
  const VERIFY = 'look at its log, and run modreg registry verify where it runs';
  it.each<[RegistryErrorKind, string | undefined, (string | undefined)?, string?]>([
    ['registry-unreachable', AGAIN],
    ['registry-timeout', AGAIN],
    ['registry-busy', AGAIN],
    ['registry-busy', `the registry may have made the change: ${VERIFY}`, VERIFY, 'why (500)'],
    ['registry-busy', VERIFY, VERIFY, 'why (500): nothing was changed'],
    ['not-a-registry', CHECK, CHECK],
    ['registry-refused', TOKEN, TOKEN],
    ['bad-certificate', undefined],
  ])('ends with %s: %s; a read: %s', async (kind, hint, readHint, why = 'why') => {
    const LIDAR = moduleId('acme:lidar');
    const { address } = await plainServer((response) => send(response, { module_id: LIDAR }));
    const hintAfter = async (change: (writer: RegistryWriter) => Promise<object>) => {
      const ended = await withWriter({ registry: address }, WORLD, async (writer) => {
        expect(await change(writer)).toMatchObject({ kind: 'done' });
        throw new RegistryError(kind, why);
      });
      expect(ended).toMatchObject({ ok: false, error: { kind, message: why } });
      return ended.ok ? undefined : ended.error.hint?.replace(address, 'ADDRESS');
    };
    const changes: ((writer: RegistryWriter) => Promise<object>)[] = [
      async ({ yank }) => await yank(LIDAR, '1.0.0', null),
      async ({ publish }) => await publish(LIDAR, '{}'),
      async ({ rollout }) => await rollout(LIDAR, '1.0.0', '{}'),
    ];
    for (const change of changes) expect(await hintAfter(change)).toBe(hint);
    expect(await hintAfter(async ({ rollout }) => await rollout(LIDAR, '1.0.0'))).toBe(readHint);
  });
});

async function changed(): Promise<{ file: string; uploads: readonly Upload[] }> {
  const file = `${temporaryFolder({ file: 'for arm' })}/file`;
  const uploads = await uploadsOf([file]);
  writeFileSync(file, 'for amd');
  return { file, uploads: uploads.ok ? uploads.value : [] };
}
function problemFor(file: string): object {
  return {
    severity: 'error',
    kind: 'unreadable-file',
    message: `the file "${file}" changed while it was read; nothing was published`,
    hint: 'run the command again when nothing writes to the file',
  };
}

const times = async () => await Promise.resolve({ now: NOON, of: () => undefined, releases: [] });

/** A registry that refuses every change. */
function refusing(kind: Refused['kind']): RegistryWriter {
  const refused = { kind, detail: 'why', errors: [] };
  const refuse = async (): Promise<ChangeResult> => await Promise.resolve(refused);
  return {
    times,
    upload: refuse,
    publish: refuse,
    mayPublish: refuse,
    yank: refuse,
    deprecate: refuse,
    notes: refuse,
    trust: refuse,
    rollout: refuse,
  };
}

describe('a file of --upload that changes while it is read', () => {
  it('is not stored beside a file of a registry', async () => {
    const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
    const { file, uploads } = await changed();
    expect(await storeUploads(uploads, catalogue, NOON)).toEqual(problemFor(file));
    catalogue.close();
  });

  it('is refused by a registry', async () => {
    const { file, uploads } = await changed();
    const lidar = moduleId('acme:lidar');
    expect(await sendUploads(uploads, refusing('bad-file'), { moduleId: lidar })).toEqual(
      problemFor(file),
    );
    expect(await sendUploads(uploads, refusing('too-large'), { moduleId: lidar })).toMatchObject({
      kind: 'too-large',
      message: 'why',
    });
  });
});
