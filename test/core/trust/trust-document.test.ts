import { describe, expect, it } from 'vitest';
import { readTrustDocument, trustBody, trustText } from '../../../src/core/trust/trust-document.ts';
import { APPROVER, AUTHOR, ROOT_ONE, ROOT_TWO, role, VENDOR } from '../../support/signed.ts';

const SIGNATURE = ROOT_ONE.sign('any text');
const LINES = [
  'modreg/trust@1',
  'name acme-plant',
  'version 1',
  'expires 2027-11-27T00:00:00Z',
  role('root', 2, ROOT_ONE, ROOT_TWO),
  role('registry', 1, VENDOR),
  role('namespace acme', 2, AUTHOR, APPROVER),
  role('namespace *', 1, AUTHOR),
  role('operator', 1, APPROVER),
  '',
  `signature ${ROOT_ONE.id} ${SIGNATURE}`,
];

/** The document with other lines at some places, counted from 1; undefined leaves the line out. */
function having(others: Readonly<Record<number, string | undefined>>): string {
  const lines = LINES.flatMap((line, place) =>
    place + 1 in others ? (others[place + 1] ?? []) : [line],
  );
  return `${lines.join('\n')}\n`;
}

const DIGITS = ROOT_ONE.text.slice('ed25519:'.length);
const KEYS = 'a threshold from 1 and keys such as ed25519:…=, one space before each';
const SIGNED = 'signature, the id of a key and 64 bytes in base64';
const NAME =
  'name and 1 to 63 letters, digits, ".", "_" and "-", of which the first is a letter or a digit';
const EXPIRES = 'expires and a time such as 2027-11-27T00:00:00Z';
const ROLES = 'root, registry, namespace, operator or an empty line';

describe('[D130] a trust document', () => {
  it('is read with its roles, and its body is what its signatures are over', () => {
    const read = readTrustDocument(having({}));
    expect(read).toEqual({
      ok: true,
      value: {
        body: `${LINES.slice(0, 9).join('\n')}\n`,
        name: 'acme-plant',
        version: 1,
        expires: Date.parse('2027-11-27T00:00:00Z'),
        root: { threshold: 2, keys: [ROOT_ONE.text, ROOT_TWO.text] },
        registry: { threshold: 1, keys: [VENDOR.text] },
        operator: { threshold: 1, keys: [APPROVER.text] },
        namespaces: new Map([
          ['acme', { threshold: 2, keys: [AUTHOR.text, APPROVER.text] }],
          ['*', { threshold: 1, keys: [AUTHOR.text] }],
        ]),
        signatures: [{ keyId: ROOT_ONE.id, signature: SIGNATURE }],
      },
    });
  });

  it('needs neither a registry, an operator, a namespace nor signatures to be read', () => {
    const text = having({ 6: undefined, 7: undefined, 8: undefined, 9: undefined, 11: undefined });
    expect(readTrustDocument(text)).toMatchObject({
      ok: true,
      value: { registry: undefined, operator: undefined, namespaces: new Map(), signatures: [] },
    });
  });

  it('is written as it is read', () => {
    const read = readTrustDocument(having({}));
    if (!read.ok) throw new Error(read.error);
    expect(trustText(trustBody(read.value), read.value.signatures)).toBe(having({}));
  });

  it.each([
    ['no end of the last line', having({}).slice(0, -1), 'its last line does not end'],
    ['no text', '', 'its last line does not end'],
    [
      'no empty line',
      having({ 10: undefined, 11: undefined }),
      'it has no empty line, which its signatures follow',
    ],
    [
      'more than 64 KiB',
      `${having({})}${'a'.repeat(65536)}`,
      `it has ${having({}).length + 65536} characters, expected at most 65536`,
    ],
    [
      'another type',
      having({ 1: 'modreg/trust@2' }),
      'line 1 is "modreg/trust@2", expected modreg/trust@1',
    ],
    [
      'a line with CR',
      having({ 1: 'modreg/trust@1\r' }),
      String.raw`line 1 is "modreg/trust@1\u{d}", expected modreg/trust@1`,
    ],
    ['no name', having({ 2: undefined }), `line 2 is "version 1", expected ${NAME}`],
    [
      'a name with a space',
      having({ 2: 'name acme plant' }),
      `line 2 is "name acme plant", expected ${NAME}`,
    ],
    ['two spaces', having({ 2: 'name  acme' }), `line 2 is "name  acme", expected ${NAME}`],
    [
      'version 0',
      having({ 3: 'version 0' }),
      'line 3 is "version 0", expected version and a number from 1',
    ],
    [
      'version 01',
      having({ 3: 'version 01' }),
      'line 3 is "version 01", expected version and a number from 1',
    ],
    [
      'version 1000001',
      having({ 3: 'version 1000001' }),
      'line 3 is "version 1000001", expected version and a number from 1',
    ],
    [
      'a day that does not exist',
      having({ 4: 'expires 2027-02-30T00:00:00Z' }),
      `line 4 is "expires 2027-02-30T00:00:00Z", expected ${EXPIRES}`,
    ],
    [
      'a time with an offset',
      having({ 4: 'expires 2027-11-27T00:00:00+00:00' }),
      `line 4 is "expires 2027-11-27T00:00:00+00:00", expected ${EXPIRES}`,
    ],
    [
      'a leap second',
      having({ 4: 'expires 2027-11-27T23:59:60Z' }),
      `line 4 is "expires 2027-11-27T23:59:60Z", expected ${EXPIRES}`,
    ],
    [
      'only three lines',
      having({
        4: undefined,
        5: undefined,
        6: undefined,
        7: undefined,
        8: undefined,
        9: undefined,
      }),
      `line 4 is missing, expected ${EXPIRES}`,
    ],
    ['no root', having({ 5: undefined }), 'it has no line with root'],
    [
      'an unknown line',
      having({ 6: 'delegate 1 a' }),
      `line 6 is "delegate 1 a", expected ${ROLES}`,
    ],
    ['a second root', having({ 6: role('root', 1, VENDOR) }), 'line 6 is a second root'],
    [
      'a second operator',
      having({ 6: role('operator', 1, VENDOR) }),
      'line 9 is a second operator',
    ],
    [
      'a second namespace',
      having({ 8: role('namespace acme', 1, VENDOR) }),
      'line 8 is a second namespace acme',
    ],
    [
      'a namespace without a name',
      having({ 7: 'namespace' }),
      'line 7 is "namespace", expected namespace and its name or *',
    ],
    [
      'a namespace that no module has',
      having({ 7: role('namespace ac.me', 1, AUTHOR) }),
      `line 7 is "${role('namespace ac.me', 1, AUTHOR)}", expected namespace and its name or *`,
    ],
    [
      'a threshold of 0',
      having({ 6: role('registry', 0, VENDOR) }),
      `line 6 is "${role('registry', 0, VENDOR)}", expected ${KEYS}`,
    ],
    ['no key', having({ 6: 'registry 1' }), `line 6 is "registry 1", expected ${KEYS}`],
    [
      'a space at the end',
      having({ 6: `${role('registry', 1, VENDOR)} ` }),
      `line 6 is "${role('registry', 1, VENDOR)} ", expected ${KEYS}`,
    ],
    [
      'another algorithm',
      having({ 6: `registry 1 ed448:${DIGITS}` }),
      `line 6 is "registry 1 ed448:${DIGITS}", expected ${KEYS}`,
    ],
    [
      '31 bytes',
      having({ 6: `registry 1 ed25519:${'A'.repeat(42)}==` }),
      `line 6 is "registry 1 ed25519:${'A'.repeat(42)}==", expected ${KEYS}`,
    ],
    [
      'bits to spare in a key',
      having({ 6: `registry 1 ed25519:${'A'.repeat(42)}B=` }),
      `line 6 is "registry 1 ed25519:${'A'.repeat(42)}B=", expected ${KEYS}`,
    ],
    [
      'a key twice in a role',
      having({ 7: role('namespace acme', 1, AUTHOR, AUTHOR) }),
      `line 7 has the key ${AUTHOR.text} twice`,
    ],
    [
      'a threshold above the number of keys',
      having({ 7: role('namespace acme', 3, AUTHOR, APPROVER) }),
      'line 7 needs 3 of 2 keys',
    ],
    [
      'another word for a signature',
      having({ 11: `sig ${ROOT_ONE.id} ${SIGNATURE}` }),
      `line 11 is "sig ${ROOT_ONE.id} ${SIGNATURE}", expected ${SIGNED}`,
    ],
    [
      'a short id of a key',
      having({ 11: `signature ${ROOT_ONE.id.slice(1)} ${SIGNATURE}` }),
      `line 11 is "signature ${ROOT_ONE.id.slice(1)} ${SIGNATURE}", expected ${SIGNED}`,
    ],
    [
      'a short signature',
      having({ 11: `signature ${ROOT_ONE.id} ${SIGNATURE.slice(4)}` }),
      `line 11 is "signature ${ROOT_ONE.id} ${SIGNATURE.slice(4)}", expected ${SIGNED}`,
    ],
    [
      'bits to spare in a signature',
      having({ 11: `signature ${ROOT_ONE.id} ${'A'.repeat(85)}B==` }),
      `line 11 is "signature ${ROOT_ONE.id} ${'A'.repeat(85)}B==", expected ${SIGNED}`,
    ],
    [
      'more after a signature',
      having({ 11: `signature ${ROOT_ONE.id} ${SIGNATURE} x` }),
      `line 11 is "signature ${ROOT_ONE.id} ${SIGNATURE} x", expected ${SIGNED}`,
    ],
    ['a second empty line', `${having({})}\n`, `line 12 is "", expected ${SIGNED}`],
    [
      'two signatures of a key',
      `${having({})}signature ${ROOT_ONE.id} ${SIGNATURE}\n`,
      `line 12 is a second signature of ${ROOT_ONE.id}`,
    ],
    [
      'a role after the signatures',
      `${having({})}${LINES[8]}\n`,
      `line 12 is "${LINES[8]}", expected ${SIGNED}`,
    ],
  ])('with %s is refused', (_title, text, error) => {
    expect(readTrustDocument(text)).toEqual({ ok: false, error });
  });
});
