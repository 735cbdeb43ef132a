import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { connect as connectPlainly } from 'node:net';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { privateKeyIn } from '../../src/server/tls/private-key.ts';
import { Catalogue, serveRegistry, type RunningRegistry } from '../../src/server/index.ts';
import { SERVER_LIMITS } from '../../src/server/server-limits.ts';
import type { RegistryEvent, ServeOptions } from '../../src/server/registry-options.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fixture, tlsFiles } from '../support/tls.ts';

/** The beginning of a handshake. */
const HELLO = Buffer.from('16030100c8010000c40303', 'hex');

interface Served extends RunningRegistry {
  readonly port: number;
  readonly events: readonly RegistryEvent[];
}

async function served(tls: ServeOptions['tls'], headers?: number): Promise<Served> {
  const catalogue = new Catalogue(':memory:');
  const events: RegistryEvent[] = [];
  const limits = { ...SERVER_LIMITS, ...(headers === undefined ? {} : { headers }) };
  const log = (event: RegistryEvent): void => void events.push(event);
  const place = { host: '127.0.0.1', port: 0 };
  const running = await serveRegistry(catalogue, place, { tls, log, limits });
  onTestFinished(async () => await running.close());
  return { ...running, port: Number(new URL(running.address).port), events };
}

/** The common name of the certificate that a new connection gets. */
async function certificateOf({ port }: Served): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const subject = socket.getPeerX509Certificate()?.subject ?? '';
  // Without a reset, which the server may see before the end of the handshake.
  socket.resume().end();
  await once(socket, 'close');
  return subject;
}

function subjectOf(name: string): string {
  return new X509Certificate(readFileSync(fixture(name))).subject;
}

/** Replaces a file as renewal tools do. */
function replace(path: string, name: string): void {
  copyFileSync(fixture(name), `${path}.new`);
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

describe('the files for TLS', () => {
  const TABLE: readonly [string, (files: { certificate: string; key: string }) => void, RegExp][] =
    [
      [
        'without a certificate',
        ({ certificate }) => renameSync(certificate, `${certificate}.old`),
        /^the certificate "[^"]+\/cert\.pem" does not exist$/,
      ],
      [
        'with a folder as the key',
        ({ key }) => (renameSync(key, `${key}.old`), mkdirSync(key)),
        /^the key "[^"]+\/key\.pem" cannot be read \(EISDIR\)$/,
      ],
      [
        'with a certificate of 2 MiB',
        ({ certificate }) => writeFileSync(certificate, Buffer.alloc(2 * 1024 * 1024)),
        /^the certificate "[^"]+\/cert\.pem" has 2097152 bytes, expected at most 1048576$/,
      ],
      [
        'with a certificate that is none',
        ({ certificate }) => writeFileSync(certificate, 'none'),
        /^the certificate "[^"]+\/cert\.pem" contains no PEM certificate \([\w ]+\)$/,
      ],
      [
        'with a key that is none',
        ({ key }) => writeFileSync(key, 'none'),
        /^the key "[^"]+\/key\.pem" contains no PEM private key without a passphrase \([\w ]+\)$/,
      ],
      [
        'with an encrypted key',
        ({ key }) => {
          const secret = { cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
          const plain = privateKeyIn(readFileSync(key));
          writeFileSync(key, plain.export({ type: 'pkcs8', format: 'pem', ...secret }));
        },
        /^the key "[^"]+\/key\.pem" contains no PEM private key without a passphrase \([\w ]+\)$/,
      ],
      [
        'with the key of another certificate',
        ({ key }) => replace(key, 'alone'),
        /^the key "[^"]+\/key\.pem" does not belong to the certificate "[^"]+\/cert\.pem"$/,
      ],
    ];

  it.each(TABLE)('[T80] are refused %s', async (_, spoil, message) => {
    const files = tlsFiles();
    spoil(files);
    await expect(served(files)).rejects.toThrow(message);
  });

  it.each<[string, (files: { certificate: string; key: string }) => void, RegExp[]]>([
    ['nothing, if they are right', () => undefined, []],
    ['nothing, if a group may read the key', ({ key }) => chmodSync(key, 0o640), []],
    [
      'a key that every user may read',
      ({ key }) => chmodSync(key, 0o644),
      [/^every user has access to the key "[^"]+", mode 0644: chmod o= it$/],
    ],
    [
      'an expired certificate',
      ({ certificate, key }) => (replace(certificate, 'expired'), replace(key, 'expired')),
      [/^the certificate "[^"]+" expired at 2021-01-01T00:00:00Z; this machine's clock says 20/],
    ],
    [
      'an early certificate',
      ({ certificate, key }) => (replace(certificate, 'early'), replace(key, 'early')),
      [/^the certificate "[^"]+" is not valid before 2120-01-01T00:00:00Z; this machine's clock/],
    ],
  ])('[T80] cause a warning about %s', async (_, change, expected) => {
    const files = tlsFiles();
    change(files);
    const { events } = await served(files);
    const warnings = expected.map((text) => ({
      kind: 'certificate-warning',
      text: expect.stringMatching(text) as string,
    }));
    expect(events).toEqual(warnings);
  });
});

describe('a renewed certificate', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  it('[T80] is used by the next connection, and never with the key of another', async () => {
    const files = tlsFiles();
    const registry = await served(files);
    expect([registry.address, await certificateOf(registry)]).toEqual([
      expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
      subjectOf('good'),
    ]);
    replace(files.certificate, 'alone');
    vi.advanceTimersByTime(SERVER_LIMITS.check);
    expect(registry.events).toHaveLength(1);
    expect(await certificateOf(registry)).toBe(subjectOf('good'));
    replace(files.key, 'alone');
    vi.advanceTimersByTime(SERVER_LIMITS.check);
    expect(registry.events).toHaveLength(2);
    expect(await certificateOf(registry)).toBe(subjectOf('alone'));
    // The same trouble is logged again after files that could be used.
    replace(files.certificate, 'good');
    vi.advanceTimersByTime(SERVER_LIMITS.check);
    expect(registry.events).toHaveLength(3);
    const mismatch = `the key "${files.key}" does not belong to the certificate "${files.certificate}"`;
    const { validTo } = new X509Certificate(readFileSync(fixture('alone')));
    const end = new Date(validTo).toISOString().replace('.000Z', 'Z');
    expect(registry.events).toEqual([
      { kind: 'certificate-kept', text: mismatch },
      { kind: 'certificate-renewed', text: `valid until ${end}` },
      { kind: 'certificate-kept', text: mismatch },
    ]);
  });

  it('[T80] is found behind a link that another folder replaces', async () => {
    const folder = temporaryFolder();
    for (const name of ['good', 'alone']) {
      mkdirSync(`${folder}/${name}`);
      cpSync(fixture(name), `${folder}/${name}/both.pem`);
      chmodSync(`${folder}/${name}/both.pem`, 0o600);
    }
    symlinkSync('good', `${folder}/live`);
    const both = `${folder}/live/both.pem`;
    const registry = await served({ certificate: both, key: both });
    symlinkSync('alone', `${folder}/next`);
    renameSync(`${folder}/next`, `${folder}/live`);
    vi.advanceTimersByTime(SERVER_LIMITS.check);
    expect(registry.events).toMatchObject([{ kind: 'certificate-renewed' }]);
    expect(await certificateOf(registry)).toBe(subjectOf('alone'));
  });
});

it('[T80] ends a connection that does not finish its handshake, and one that is no TLS', async () => {
  const registry = await served(tlsFiles(), 100);
  const clients = ['', 'GET / HTTP/1.1\r\n\r\n', HELLO].map(async (text) => {
    const socket = connectPlainly(registry.port, '127.0.0.1');
    socket.on('error', () => undefined).write(text);
    return await new Promise((resolve) => socket.resume().once('close', resolve));
  });
  await Promise.all(clients);
  // Events of one limit that follow each other within a second are one.
  const counts = (): number[] =>
    registry.events.flatMap((event) =>
      event.kind === 'overload' && event.limit === 'handshakes' ? event.count : [],
    );
  await expect.poll(() => counts().reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(registry.events[0]).toMatchObject({ count: 1, peer: '127.0.0.1' });
  expect(counts()).toHaveLength(registry.events.length);
});

it('[T102] does not count a client that hangs up as a failed handshake', async () => {
  const registry = await served(tlsFiles());
  for (const bytes of ['', HELLO]) {
    const socket = connectPlainly(registry.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.end(bytes);
    await once(socket, 'close');
  }
  // After a long poll that its client ends, `fetch` opens a connection and ends it.
  const address = `${registry.address}/v1/changes?after=0&wait=60`;
  const poll = request(address, { rejectUnauthorized: false }).on('error', () => undefined);
  poll.end();
  await once(poll, 'socket').then(async ([socket]) => await once(socket, 'secureConnect'));
  poll.destroy();
  const spare = connect({ host: '127.0.0.1', port: registry.port, rejectUnauthorized: false });
  spare.on('error', () => undefined);
  await once(spare, 'connect');
  spare.destroy();
  // Once a later connection is answered, the server has seen the others.
  await certificateOf(registry);
  expect(registry.events).toEqual([]);
  const old = connect({
    host: '127.0.0.1',
    port: registry.port,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1.1',
    ciphers: 'ALL@SECLEVEL=0',
  });
  await once(old, 'error');
  const refused = { kind: 'overload', limit: 'handshakes', peer: '127.0.0.1', count: 1 };
  await expect.poll(() => registry.events).toEqual([refused]);
});

it('[T80] counts a connection once, also after its handshake', async () => {
  const registry = await served(tlsFiles());
  const socket = connect({ host: '127.0.0.1', port: registry.port, rejectUnauthorized: false });
  onTestFinished(() => void socket.destroy());
  socket.write('GET /v1/modules HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  expect(registry.load().connections).toBe(1);
});

it('[T80] closes while a connection has not finished its handshake', async () => {
  const registry = await served(tlsFiles());
  const socket = connectPlainly(registry.port, '127.0.0.1');
  const ended = new Promise((resolve) =>
    socket.on('error', () => undefined).once('close', resolve),
  );
  // Once a later connection is answered, the server has seen the first one.
  await certificateOf(registry);
  await registry.close();
  expect(await ended.then(() => 'ended')).toBe('ended');
});
