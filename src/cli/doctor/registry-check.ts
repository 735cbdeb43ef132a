import type { RegistryError, RegistryErrorKind } from '../../registry/registry-error.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { countOf } from '../output/count.ts';
import type { Problem } from '../problem.ts';
import type { Certificate } from './connection.ts';
import { findingsOf, type Finding } from './finding.ts';
import type { RegistryFacts } from './probe-registry.ts';
import type { RegistriesFacts } from './registry-facts.ts';
import { certificateFix, connectionFix } from './registry-fixes.ts';

const { ok, info, warning, error } = findingsOf('registry');

const EXPIRES_SOON_MS = 14 * 86_400_000;

/** Whether each registry of the policy answers as a registry does, and until when its certificate is valid. */
export function checkRegistries(
  { registries, problems, isWanted }: RegistriesFacts,
  now: number,
): Finding[] {
  return [
    ...problems.map((problem) => unopened(problem, isWanted)),
    ...registries.flatMap((facts) => [
      ...answerFindings(facts, now),
      ...expiryFindings(facts, now),
    ]),
  ];
}

function unopened(
  { message, hint, kind }: Problem,
  isWanted: RegistriesFacts['isWanted'],
): Finding {
  if (kind === 'no-registry' && isWanted === undefined) {
    return info('the policy cannot be used, so its registry is not known');
  }
  const fix = hint ?? 'correct "registry" in the policy';
  return kind === 'no-registry' && !isWanted ? info(message, fix) : error(message, fix);
}

/** The errors of a registry. Those of a single list are checked with the lists. */
const OF_REGISTRY: ReadonlySet<RegistryErrorKind> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-refused',
  'registry-busy',
  'not-a-registry',
  'bad-redirect',
  'bad-certificate',
  'unreadable-file',
]);

/** Whether an error of reading a list is reported about the registry. */
export function isOfRegistry({ kind }: RegistryError): boolean {
  return OF_REGISTRY.has(kind);
}

/** Why lists could not be read now, by module, although a saved list may be used instead. */
export function failuresOf({ lists }: RegistryFacts): ReadonlyMap<string, RegistryError> {
  return new Map(
    Array.from(lists ?? []).flatMap(([moduleId, list]) => {
      const failure = list.ok ? list.value.stale : causeOf(list.error);
      return failure ? [[moduleId, failure] as const] : [];
    }),
  );
}

/** Of a saved list that is too old: why its registry was not used. */
function causeOf(failure: RegistryError): RegistryError {
  const { kind, cause } = failure;
  // A cast: the error of a stale list is caused by that of its registry.
  return kind === 'list-stale' && cause !== undefined ? (cause as RegistryError) : failure;
}

function answerFindings(facts: RegistryFacts, now: number): Finding[] {
  const { from, lists, failure, wanted } = facts;
  if (!lists) {
    const count = countOf(wanted.length, 'list');
    const fix = 'run modreg doctor again; if it stays slow, check the network: mtr, or ping';
    return [warning(`${from} did not deliver ${count} within 8 s`, fix)];
  }
  const failures = [...failuresOf(facts).values(), ...(failure ? [failure] : [])];
  const own = failures.filter((one) => isOfRegistry(one));
  const messages = new Map(own.map((one) => [one.message, one]));
  if (messages.size === 0) return [answered(facts, now)];
  return Array.from(messages.values(), (one) => error(one.message, fixFor(one, facts)));
}

function fixFor({ kind, hint }: RegistryError, { connection, url, from }: RegistryFacts): string {
  const failed = connection?.kind === 'failed' ? connection.code : undefined;
  const certificate = connection?.kind === 'open' ? connection.certificate : undefined;
  if (kind === 'bad-certificate' && url) return certificateFix(certificate, url, hint);
  if ((kind === 'registry-unreachable' || kind === 'registry-timeout') && url) {
    return connectionFix(failed, url);
  }
  return hint ?? FIXES[kind] ?? `check ${from}`;
}

const FIXES: Partial<Record<RegistryErrorKind, string>> = {
  'registry-refused':
    'replace the token: the line of this registry in $PLATFORM_HOME/tokens, or MODREG_TOKEN; modreg registry token list, on its host, shows what each may do',
  'registry-busy': 'look at the log of the registry on its host, and run modreg doctor again',
  'not-a-registry':
    'correct "registry" in the policy: the path may be wrong, or the answer a sign-in page',
  'unreadable-file': 'correct the path in "registry" of the policy, or make it readable: ls -ld',
};

function answered(facts: RegistryFacts, now: number): Finding {
  const { from, url, wanted, tookMs, hasToken, connection } = facts;
  const count = countOf(new Set(wanted.map(({ moduleId }) => moduleId)).size, 'list');
  if (!url) return ok(`${from} can be read; ${count} wanted`);
  const certificate = connection?.kind === 'open' ? connection.certificate : undefined;
  const parts = [
    `${from} answers in ${Math.ceil(tookMs)} ms; ${count} wanted`,
    ...(hasToken ? ['it accepts the token'] : []),
    ...(certificate && !isNearEnd(certificate, now)
      ? [`certificate valid ${until(certificate, now)}`]
      : []),
  ];
  return wanted.length === 0 && facts.key?.startsWith('modreg:') !== true
    ? info(`${from} takes connections; no module of it is known, so it was asked for none`)
    : ok(parts.join('; '));
}

function expiryFindings(
  { from, url, connection, ...facts }: RegistryFacts,
  now: number,
): Finding[] {
  const certificate = connection?.kind === 'open' ? connection.certificate : undefined;
  const isRefused = facts.failure?.kind === 'bad-certificate';
  if (!certificate || !url || isRefused || !isNearEnd(certificate, now)) return [];
  if (certificate.expiresAt <= now) return [];
  const found = `the certificate of ${from} is valid ${until(certificate, now)}`;
  return [warning(found, `renew the certificate of ${url.host} on its host before then`)];
}

function isNearEnd({ expiresAt }: Certificate, now: number): boolean {
  return expiresAt - now < EXPIRES_SOON_MS;
}

function until({ expiresAt }: Certificate, now: number): string {
  const left = describeDuration(expiresAt - now);
  return `until ${formatTime(expiresAt)}, for ${left}`;
}
