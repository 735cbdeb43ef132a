import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RegistryError } from '../../src/registries/index.ts';
import { authoritiesIn } from '../../src/registry/http/authorities.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fixture } from '../support/tls.ts';

const PEM = readFileSync(fixture('authority'), 'utf8');

/** What is wrong with a MODREG_CA_FILE; undefined if it can be used. */
function faultOf(path: string): string | undefined {
  try {
    authoritiesIn({ MODREG_CA_FILE: path });
    return undefined;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return `${error.kind}: ${error.message}; ${error.hint}`;
  }
}

const HINT = 'set it to a file with the certificates of your authority (BEGIN CERTIFICATE)';

describe('[D114] [T418] a MODREG_CA_FILE', () => {
  const files = {
    'one.pem': PEM,
    'two.pem': `# ours\n${PEM}\r\n${PEM}`,
    'empty.pem': '',
    'key.pem': '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
    'cut.pem': PEM.slice(0, PEM.indexOf('-----END')),
    'der.crt': Buffer.from(PEM.replaceAll(/-----.*-----|\n/g, ''), 'base64').toString('latin1'),
  };
  it.each([
    ['one.pem', undefined],
    ['two.pem', undefined],
    ['none.pem', 'does not exist'],
    ['.', 'cannot be read (EISDIR)'],
    ['empty.pem', 'has no certificate in PEM format'],
    ['key.pem', 'has no certificate in PEM format'],
    ['der.crt', 'has no certificate in PEM format'],
    ['cut.pem', 'has a certificate that cannot be read'],
  ])('%s: %s', (name, why) => {
    const path = `${temporaryFolder(files)}/${name}`;
    const message = `bad-certificate: the file of MODREG_CA_FILE, "${path}", ${why}; ${HINT}`;
    expect(faultOf(path)).toBe(why && message);
  });

  it('that is empty text is none', () => {
    expect(authoritiesIn({ MODREG_CA_FILE: '' }).own).toBeUndefined();
  });
});
