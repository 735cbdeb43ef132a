import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRegistryAddress } from '../../../src/registry/address.ts';
import { isExposed, readWebAddress } from '../../../src/core/text/web-address.ts';
import { RUNS } from '../../support/runs.ts';

function hex(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** Equivalent spellings of an IPv4 address in a URL. */
function spellings(bytes: readonly number[]): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const groups = `${hex(a)}${hex(b)}:${hex(c)}${hex(d)}`;
  return [
    bytes.join('.'),
    `${bytes.join('.')}.`,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    `${a}.${b}.${c * 256 + d}`,
    bytes.map((byte) => `0x${hex(byte)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    `[::ffff:${bytes.join('.')}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups}]`,
    `[::ffff:0:${groups}]`,
    `[64:ff9b::${groups}]`,
    `[2002:${groups}::1]`,
    encodeURIComponent(bytes.join('.')).replaceAll('1', '%31'),
    bytes.join('。'),
  ];
}

describe('[T14] an address', () => {
  it('is refused if it is link-local, in any spelling', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, (c, d) => {
        for (const host of spellings([169, 254, c, d])) {
          expect([host, readWebAddress(`https://${host}/`).ok]).toEqual([host, false]);
        }
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });

  it.each([
    ['https://a.example/x y', 'it contains white space, a control character or a backslash'],
    ['https://a.example\\x', 'it contains white space, a control character or a backslash'],
    ['https://[fe80::1]/', '[fe80::1] is a link-local address'],
    ['https://[::a9fe:1]/', '[::a9fe:1] is a link-local address'],
  ])('is refused for %s: %s', (text, error) => {
    expect(readWebAddress(text)).toEqual({ ok: false, error });
  });

  it.each(['http://[::1]/', 'https://[2001:db8:1:2:3:4:5:6]/'])('is accepted for %s', (text) => {
    expect(readWebAddress(text).ok).toBe(true);
  });

  it('is exposed if its host only begins like the address of this machine', () => {
    expect(isExposed(new URL('http://127.0.0.1.example.org/'), [])).toBe(true);
  });

  it('is accepted in a private network, in any spelling', () => {
    for (const host of spellings([10, 1, 2, 3]).concat(spellings([192, 168, 1, 5]))) {
      expect([host, readWebAddress(`https://${host}/`).ok]).toEqual([host, true]);
    }
  });

  it('is refused with user info, and its host never contains an "@"', () => {
    fc.assert(
      fc.property(fc.webAuthority({ withUserInfo: true, withPort: true }), (authority) => {
        const read = readWebAddress(`https://${authority}/x`);
        expect(read.ok && authority.includes('@')).toBe(false);
        expect(read.ok ? read.value.hostname : '').not.toContain('@');
      }),
      { numRuns: RUNS.numRuns / 10 },
    );
  });

  it.each([
    '168.63.129.16',
    '100.100.100.200',
    '[fe80::1]',
    '[febf::1]',
    '0.0.0.1',
    '[::]',
    'metadata.goog',
  ])('is refused for %s, a metadata, link-local or unspecified host', (host) => {
    expect(readWebAddress(`https://${host}/`).ok).toBe(false);
  });

  it.each([
    '192.0.0.192',
    '[fd20:ce::254]',
    '[FD20:00ce:0::0254]',
    '[fd00:ec2::254]',
    '[fd00:ec2::23]',
    '[fd00:42::42]',
    '[::ffff:192.0.0.192]',
    '[64:ff9b::192.0.0.192]',
    '0xc00000c0',
    'metadata.azure.internal',
    'Metadata.Azure.Internal.',
    'metadata',
    'instance-data',
    '127.0.0.1.nip.io',
    'app.127.0.0.1.nip.io',
    'app-127-0-0-1.sslip.io',
    '7f000001.nip.io',
    'app-7f000001.nip.io',
    '169.254.169.254.nip.io',
    '169-254-169-254.sslip.io',
    'a9fea9fe.nip.io',
    '100-100-100-200.sslip.io',
    'localtest.me',
    'app.lvh.me',
    'LOCALTEST.ME.',
  ])('[T92] is refused for %s', (host) => {
    expect(readWebAddress(`https://${host}/`)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/ is a (cloud metadata|link-local|public name|name for)/),
    });
  });

  it.each([
    '10.0.0.5.nip.io',
    'release-1.27.0.1.example',
    '8.8.8.8.example',
    'metadata.example',
    'lvh.me.example',
    '169.253.169.254',
    '168.254.169.254',
    '[fd00:ec3::254]',
    '[fd01:ec2::254]',
    '[64:ff9a::a9fe:a9fe]',
    '[65:ff9b::a9fe:a9fe]',
  ])('[T92] is accepted for %s', (host) => {
    expect(readWebAddress(`https://${host}/`).ok).toBe(true);
  });

  it.each([
    ['1https://a', 'expected https:// and a host'],
    ['xhttp://a', '"xhttp:" is not https: or http:'],
    ['httpx://a', '"httpx:" is not https: or http:'],
    ['http:a?https://b', 'expected a host after "http://"'],
    ['https://0.0.0.0', '0.0.0.0 is not the address of a host'],
    ['https://[::]', '[::] is not the address of a host'],
    [`https://a/${'a'.repeat(2039)}`, 'it has 2049 characters, expected at most 2048'],
  ])('%s is refused: %s', (text, error) => {
    expect(readWebAddress(text)).toEqual({ ok: false, error });
  });

  it('has at most 2048 characters', () => {
    expect(readWebAddress(`https://a/${'a'.repeat(2038)}`).ok).toBe(true);
  });

  it.each([
    ['https://files.example', [], false],
    ['http://files.example', [], true],
    ['http://files.example', ['files.example'], false],
    ['http://FILES.example', ['Files.Example'], false],
    ['http://files.example:8080', ['files.example'], false],
    ['http://files.example:8080', ['files.example:8080'], false],
    ['http://files.example:8081', ['files.example:8080'], true],
    ['http://other.files.example', ['files.example'], true],
    ['http://localhost:4873', [], false],
    ['http://127.0.0.1', [], false],
    ['http://127.9.8.7', [], false],
    ['http://2130706433', [], false],
    ['http://[::1]:80', [], false],
    ['http://localhost.example', [], true],
    ['http://notlocalhost', [], true],
    ['http://127.10.20.30', [], false],
    ['http://192.168.1.5', [], true],
    ['http://files.example', ['files.example:80'], false],
    ['http://files.example:80', ['files.example'], false],
    ['http://files.example.', ['files.example'], false],
    ['http://ä.example', ['ä.example'], false],
    ['http://10.0.0.1', ['0x0a000001'], false],
    ['http://files.example', ['not a host'], true],
    ['http://robot.localhost', [], false],
    ['http://localhost.', [], false],
    ['http://[fd12::1]', ['[fd12::1]'], false],
    ['http://[fd12::1]:8080', ['[fd12::1]'], false],
    ['http://[fd12::1]:8080', ['[fd12::1]:8080'], false],
    ['http://[fd12::1]:8081', ['[fd12::1]:8080'], true],
  ])('%s, with %j allowed, is exposed: %s', (text, allowHttp, exposed) => {
    const read = readWebAddress(text);
    expect(read.ok && isExposed(read.value, allowHttp)).toBe(exposed);
  });
});

describe('the address of a registry', () => {
  it.each([
    ['https://registry.example/v1', 'modreg', 'https://registry.example/v1'],
    ['HTTP://127.0.0.1:4873', 'modreg', 'http://127.0.0.1:4873/'],
    ['npm:https://npm.example', 'npm', 'https://npm.example/'],
    ['oci:http://localhost:5000', 'oci', 'http://localhost:5000/'],
    ['./registry', 'folder', './registry'],
    ['x.db/registry', 'folder', 'x.db/registry'],
    ['registry', 'folder', 'registry'],
    ['./C:/registry', 'folder', './C:/registry'],
    ['/var/lib/modreg/registry.db', 'database', '/var/lib/modreg/registry.db'],
  ])('%s is of the kind %s', (text, kind, place) => {
    const address = parseRegistryAddress(text);
    const read = address.ok && address.value;
    expect(read && [read.kind, 'url' in read ? read.url.href : read.path]).toEqual([kind, place]);
  });

  it.each([
    ['', 'it is empty'],
    ['a\0b', 'it contains a control character'],
    ['//host/path', 'expected https:, npm:, oci: or github: at the start, or ./ for a folder'],
    ['s3://bucket', '"s3:" is not https:, npm:, oci: or github:'],
    ['npm:npm.example', 'expected https:// and a host'],
    ['https://', 'expected a host after "https://"'],
    ['https://a:99999', 'its host or port cannot be parsed'],
    ['oci:https://me:pw@host', 'user info before the host host: credentials do not belong here'],
  ])('%j is not one: %s', (text, error) => {
    expect(parseRegistryAddress(text)).toEqual({ ok: false, error });
  });
});
