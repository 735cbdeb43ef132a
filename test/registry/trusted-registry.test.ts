import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRegistries } from '../../src/registries/open-registries.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  APPROVER,
  AUTHOR,
  role,
  ROOT_ONE,
  signed,
  STRANGER,
  trustOf,
  type TestTrust,
} from '../support/signed.ts';
import {
  askedInVain,
  failure,
  HINT,
  LIDAR,
  opened,
  publishIn,
  REFUSED,
  registryWith,
  release,
  RELEASES,
  selected,
  SIGNED,
  TRUST,
} from './support/trusted.ts';

describe('[D134] a registry whose trust document a policy names', () => {
  it('over HTTP: forged and unsigned releases are refused', async () => {
    const { address, fetch, requests } = registryWith(TRUST, RELEASES);
    const registry = opened(address, TRUST.pin, fetch);
    expect(await selected(registry, '1.*')).toEqual(['1.2.0', REFUSED]);
    expect(await selected(registry, '1.3.0')).toEqual([
      undefined,
      [
        '1.5.0: other-version',
        '1.4.0: other-version',
        '1.3.0: bad-signature',
        '1.2.0: other-version',
      ],
    ]);
    const single = await registry.read(LIDAR);
    expect([...(single.trust?.verdicts?.keys() ?? [])]).toEqual([
      '1.5.0',
      '1.4.0',
      '1.3.0',
      '1.2.0',
    ]);
    // The document is asked for once: it cannot change under its digest.
    expect(requests.filter((one) => one === 'GET /v1/trust')).toHaveLength(1);
  });

  it('over HTTP: a policy without it selects what it did before, and asks for no document', async () => {
    const { address, fetch, requests } = registryWith(TRUST, RELEASES);
    for (const trust of [undefined, 'unsigned']) {
      const registry = opened(address, trust, fetch);
      expect(await selected(registry, '1.*')).toMatchObject(['1.5.0', expect.anything()]);
    }
    expect(requests).not.toContain('GET /v1/trust');
  });

  it('in a folder, and in the file of a registry', async () => {
    const folder = temporaryFolder({
      'acme/lidar.json': JSON.stringify({ releases: RELEASES }),
      'trust.txt': TRUST.text,
    });
    expect(await selected(opened(folder, TRUST.pin), '1.*')).toEqual(['1.2.0', REFUSED]);
    const path = `${folder}/site.db`;
    const catalogue = new Catalogue(path, { mode: 'create' });
    publishIn(catalogue, RELEASES);
    catalogue.trust.store(TRUST.text);
    catalogue.close();
    expect(await selected(opened(path, TRUST.pin), '1.*')).toEqual(['1.2.0', REFUSED]);
  });

  it('in a folder whose list has a version twice', async () => {
    const twice = [SIGNED, SIGNED, signed('acme:lidar', release('1.1.0'), AUTHOR, APPROVER)];
    const folder = temporaryFolder({
      'acme/lidar.json': JSON.stringify({ releases: twice }),
      'trust.txt': TRUST.text,
    });
    expect(await selected(opened(folder, TRUST.pin), '1.*')).toEqual([
      '1.1.0',
      ['1.2.0: bad-signature'],
    ]);
  });

  it('that a registry does not have: it has no lists, until it has the document', async () => {
    const { address, fetch, catalogue } = registryWith(undefined, RELEASES);
    const registry = opened(address, TRUST.pin, fetch);
    const message = `the registry ${address} has no trust document, and the policy names ${TRUST.pin}`;
    expect(await failure(registry)).toEqual(['registry-untrusted', message, HINT]);
    catalogue.trust.store(TRUST.text);
    expect(await selected(registry, '1.*')).toMatchObject(['1.2.0', REFUSED]);
  });

  it.each<[string, TestTrust, string]>([
    [
      'another document',
      trustOf([role('namespace *', 1, STRANGER)]),
      `has the trust document ${trustOf([role('namespace *', 1, STRANGER)]).pin}, and the policy names ${TRUST.pin}`,
    ],
    ['no signature of its root', trustOf(undefined, []), 'has 0 of 1 signatures of its root keys'],
    [
      'the signature of another key',
      trustOf(undefined, [STRANGER]),
      'has 0 of 1 signatures of its root keys',
    ],
    [
      'the signature of another text',
      { ...TRUST, text: TRUST.text.replace(/ \S+\n$/, ` ${ROOT_ONE.sign('x')}\n`) },
      'has 0 of 1 signatures of its root keys',
    ],
    [
      'a line after the signatures',
      { ...TRUST, text: `${TRUST.text}more\n` },
      'cannot be read: line 11 is "more", expected signature, the id of a key and 64 bytes in base64',
    ],
  ])('that has %s', async (_title, { text }, found) => {
    const folder = temporaryFolder({
      'acme/lidar.json': JSON.stringify({ releases: RELEASES }),
      'trust.txt': text,
    });
    const registry = opened(folder, TRUST.pin);
    const [kind, message] = (await failure(registry)) as string[];
    expect([kind, message?.replace(folder, '…')]).toEqual([
      'registry-untrusted',
      expect.stringContaining(found),
    ]);
    // It is read again in the next round.
    writeFileSync(`${folder}/trust.txt`, TRUST.text);
    expect(await selected(registry, '1.*')).toEqual(['1.2.0', REFUSED]);
  });

  it.each(['npm:https://npm.example', 'oci:https://oci.example', 'github:acme/lidar'])(
    '%s has no signatures: only its modules are stuck',
    async (address) => {
      const [kind, message, hint] = (await failure(
        opened(address, TRUST.pin, askedInVain),
      )) as string[];
      expect([kind, hint]).toEqual([
        'registry-untrusted',
        `set "trust": "unsigned" in the policy for the modules of this registry, under modules${address.startsWith('npm:') ? '; or set npm_keys, if it signs' : ''}`,
      ]);
      expect(message).toMatch(
        /^the registry \S+ has no signatures of releases, and the policy names a trust document for it$/,
      );
    },
  );

  it('of an earlier modreg, which has no such address', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const error = await failure(opened(`http://127.0.0.1:${port}`, TRUST.pin));
    expect(error).toEqual([
      'registry-untrusted',
      `the registry http://127.0.0.1:${port} has no trust document, and the policy names ${TRUST.pin}`,
      HINT,
    ]);
  });

  it('that cannot be reached has no lists, and no wait goes on after its signal', async () => {
    const never = new Promise<Response>(() => undefined);
    const registry = opened('https://registry.example', TRUST.pin, async () => await never);
    const aborted = AbortSignal.abort(new Error('the end'));
    await expect(registry.read(LIDAR, aborted)).rejects.toThrow('the end');
    await expect(registry.readAll([LIDAR], aborted)).rejects.toThrow('the end');
  });

  it('is an error of a file that is no file, or too large', async () => {
    const folder = temporaryFolder({ 'trust.txt/a': '', 'other/trust.txt': 'a'.repeat(65537) });
    expect(await failure(opened(folder, TRUST.pin))).toEqual([
      'unreadable-file',
      `"${folder}/trust.txt" is not a file`,
      undefined,
    ]);
    expect(await failure(opened(`${folder}/other`, TRUST.pin))).toEqual([
      'list-too-large',
      `"${folder}/other/trust.txt" has 65537 bytes (limit 65536)`,
      undefined,
    ]);
  });

  it('is one more term of a registry', () => {
    const { registryFor } = openRegistries();
    const terms = { registry: 'https://registry.example' };
    expect(registryFor({ ...terms, trust: 'unsigned' })).toBe(registryFor({ ...terms }));
    expect(registryFor({ ...terms, trust: TRUST.pin })).not.toBe(registryFor({ ...terms }));
    expect(registryFor({ ...terms, trust: TRUST.pin })).toBe(
      registryFor({ ...terms, trust: TRUST.pin }),
    );
  });
});
