import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** Whether a page has this host name. The port is not compared: a tunnel has another one. */
export type HostNames = (name: string) => boolean;

/**
 * The host name of a page on loopback. It is random, because a browser sends cookies to each port of a host name: a page that a
 * module serves on `localhost` gets none of this page.
 */
export function loopbackName(label: string): string {
  return `${label}.localhost`;
}

/** The host names that a certificate covers. `certificate` is its current content. */
export function certifiedNames(certificate: () => Buffer): HostNames {
  let parsed: { readonly of: Buffer; readonly x509: X509Certificate } | undefined;
  return (name) => {
    const now = certificate();
    if (parsed?.of !== now) parsed = { of: now, x509: new X509Certificate(now) };
    return covers(parsed.x509, name);
  };
}

/** The host name that is shown for a page with this certificate: the first of `preferred` that it covers, else the first that it names; undefined if there is none. */
export function shownName(certificate: Buffer, preferred: readonly string[]): string | undefined {
  const x509 = new X509Certificate(certificate);
  const named = Array.from(
    (x509.subjectAltName ?? '').matchAll(/(?:DNS|IP Address):([^,\s]+)/g),
    ([, name = '']) => name.toLowerCase(),
  );
  return [...preferred, ...named].find((name) => covers(x509, bracketed(name)));
}

/** An address as it stands in a URL. */
export function bracketed(name: string): string {
  return isIP(name) === 6 ? `[${name}]` : name;
}

function covers(certificate: X509Certificate, name: string): boolean {
  const address = name.replaceAll(/[[\]]/g, '');
  if (isIP(address)) return certificate.checkIP(address) !== undefined;
  // Browsers ignore the subject as well. A star would match itself.
  return !name.includes('*') && certificate.checkHost(name, { subject: 'never' }) !== undefined;
}
