import { describeDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { Certificate } from './connection.ts';
import { findingsOf, type Finding } from './finding.ts';
import type { RegistryFacts } from './probe-registry.ts';

const { warning } = findingsOf('registry');

const EXPIRES_SOON_MS = 14 * 86_400_000;

/** Whether the certificate of a registry ends soon. One that has ended is an error of the registry. */
export function expiryFindings(
  {
    from,
    url,
    connection,
    failure,
  }: Pick<RegistryFacts, 'from' | 'url' | 'connection' | 'failure'>,
  now: number,
): Finding[] {
  const certificate = connection?.kind === 'open' ? connection.certificate : undefined;
  const isRefused = failure?.kind === 'bad-certificate';
  if (!certificate || !url || isRefused || !isNearEnd(certificate, now)) return [];
  if (certificate.expiresAt <= now) return [];
  const found = `the certificate of ${from} is valid ${until(certificate, now)}`;
  return [warning(found, `renew the certificate of ${url.host} on its host before then`)];
}

export function isNearEnd({ expiresAt }: Certificate, now: number): boolean {
  return expiresAt - now < EXPIRES_SOON_MS;
}

/** `until 2027-01-01T00:00:00Z, for 38 d`. */
export function until({ expiresAt }: Certificate, now: number): string {
  const left = describeDuration(expiresAt - now);
  return `until ${formatTime(expiresAt)}, for ${left}`;
}
