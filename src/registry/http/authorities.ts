import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { unreadableWords } from '../../core/text/file-words.ts';
import { quote } from '../../core/text/quote.ts';
import { RegistryError } from '../registry-error.ts';
import type { Variables } from './proxy.ts';

/** Where Linux distributions keep the authorities that a machine trusts, as one file. */
const SYSTEM_FILES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
/** Where a certificate in PEM format begins. */
const BEGIN = /(?=-----BEGIN (?:TRUSTED )?CERTIFICATE-----)/;

/** Certificates of authorities that are trusted besides those of Node. */
export interface Authorities {
  /** The file of the system that was found. */
  readonly system: string | undefined;
  /** That of MODREG_CA_FILE. */
  readonly own: string | undefined;
  readonly context: SecureContext;
}

/**
 * What connections trust: the authorities of Node and NODE_EXTRA_CA_CERTS, those of the system, and those of MODREG_CA_FILE (D114). Throws a
 * `bad-certificate` RegistryError if MODREG_CA_FILE is missing or has no certificate.
 */
export function authoritiesIn(environment: Variables): Authorities {
  const own = environment['MODREG_CA_FILE'] || undefined;
  const ofOwn = own === undefined ? [] : [ownCertificates(own)];
  const system = SYSTEM_FILES.flatMap((path) => {
    const text = textOf(path);
    return text === undefined ? [] : [{ path, text }];
  }).find(({ text }) => BEGIN.test(text));
  const ca = [...getCACertificates('default'), ...(system ? [system.text] : []), ...ofOwn];
  return { system: system?.path, own, context: createSecureContext({ ca }) };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

function ownCertificates(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'latin1');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw unusable(path, unreadableWords(code));
  }
  const certificates = text.split(BEGIN).filter((part) => BEGIN.test(part));
  if (certificates.length === 0) throw unusable(path, 'has no certificate in PEM format');
  try {
    // TLS would silently ignore what is cut off.
    for (const one of certificates) void new X509Certificate(one);
  } catch {
    throw unusable(path, 'has a certificate that cannot be read');
  }
  return text;
}

function unusable(path: string, why: string): RegistryError {
  const message = `the file of MODREG_CA_FILE, ${quote(path)}, ${why}`;
  const hint = 'set it to a file with the certificates of your authority (BEGIN CERTIFICATE)';
  return new RegistryError('bad-certificate', message, { hint });
}
