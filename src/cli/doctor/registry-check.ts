import { proxyFailure, REFUSED, REFUSED_WORDS } from '../../registry/http/network-failure.ts';
import type { RegistryError, RegistryErrorKind } from '../../registry/registry-error.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import type { Problem } from '../../base/problem.ts';
import { expiryWarning } from '../../host/trust-warnings.ts';
import { expiryFindings, isNearEnd, until } from './certificate-check.ts';
import { findingsOf, type Finding } from './finding.ts';
import type { RegistryFacts } from './probe-registry.ts';
import type { RegistriesFacts } from './registry-facts.ts';
import { certificateFix, connectionFix, writtenIn, type Place } from './registry-fixes.ts';

const { ok, info, warning, error } = findingsOf('registry');

/** Whether each registry of the policy answers as a registry does, and until when its certificate is valid. */
export function checkRegistries(
  { registries, problems, isWanted, place }: RegistriesFacts,
  now: number,
): Finding[] {
  return [
    ...problems.map((problem) => unopened(problem, isWanted, place)),
    ...registries.flatMap((facts) => {
      const answers = answerFindings(facts, now);
      // What is wrong with a proxy or an authority is also why there is no answer.
      const ofWay = facts.way?.findings.filter(
        (one) => !answers.some(({ found }) => found === one.found),
      );
      return [
        ...(ofWay ?? []),
        ...answers,
        ...expiryFindings(facts, now),
        ...trustFindings(facts, now),
      ];
    }),
  ];
}

/** Whether the trust document of a registry expires soon (D151). */
function trustFindings({ from, trustedUntil = Infinity }: RegistryFacts, now: number): Finding[] {
  const found = expiryWarning(from, trustedUntil, now);
  return found ? [warning(found.message, found.hint ?? '')] : [];
}

function unopened(
  { message, hint, kind }: Problem,
  isWanted: RegistriesFacts['isWanted'],
  place: Place,
): Finding {
  if (kind === 'no-registry' && isWanted === undefined) {
    return info('the policy cannot be used, so its registry is not known');
  }
  const fix = hint ?? (kind === 'bad-address' ? `correct ${writtenIn(place, 'in')}` : TOKEN_FIX);
  return kind === 'no-registry' && !isWanted ? info(message, fix) : error(message, fix);
}

const TOKEN_FIX =
  'correct the token file, $PLATFORM_HOME/tokens or MODREG_TOKEN_FILE: docs/registry.md#the-token-file';

/** The errors of a registry. Those of a single list are checked with the lists. */
const OF_REGISTRY: ReadonlySet<RegistryErrorKind> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-refused',
  'registry-busy',
  'not-a-registry',
  'bad-redirect',
  'bad-certificate',
  // Of a proxy: a registry whose own address is bad is not opened.
  'bad-address',
  'unreadable-file',
  'registry-untrusted',
  'trust-expired',
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
  const failures = [...failuresOf(facts).values()].filter((one) => isOfRegistry(one));
  const all = failure ? [...failures, failure] : failures;
  const messages = new Map(all.map((one) => [one.message, one]));
  if (messages.size === 0) return unconnected(facts, now);
  return Array.from(messages.values(), (one) => error(one.message, fixFor(one, facts)));
}

function fixFor(
  { kind, hint }: RegistryError,
  { connection, url, from, way, place, hasSystemd }: RegistryFacts,
): string {
  const failed = connection?.kind === 'failed' ? connection.code : undefined;
  const certificate = connection?.kind === 'open' ? connection.certificate : undefined;
  // A file of authorities that cannot be used is not about the certificate of the registry.
  if (kind === 'bad-certificate' && url && certificate)
    return certificateFix(certificate, url, { place, hint, hasSystemd });
  if ((kind === 'registry-unreachable' || kind === 'registry-timeout') && url && !way?.proxy) {
    return connectionFix(failed, url, place);
  }
  const own = FIXES[kind]?.(place);
  const fix = kind === 'not-a-registry' && hint !== undefined ? `${own}; ${hint}` : hint;
  return fix ?? own ?? `check ${from}`;
}

const FIXES: Partial<Record<RegistryErrorKind, (place: Place) => string>> = {
  'registry-refused': () =>
    'replace the token: the line of this registry in $PLATFORM_HOME/tokens, or MODREG_TOKEN; modreg registry token list, on its host, shows what each may do',
  'registry-busy': () => 'look at the log of the registry on its host, and run modreg doctor again',
  'not-a-registry': (place) =>
    `correct ${writtenIn(place, 'in')}: the path may be wrong, or the answer a sign-in page`,
  'unreadable-file': (place) =>
    `correct the path in ${writtenIn(place)}, or make it readable: ls -ld`,
};

/** The finding about a registry that refused nothing. It may not have been asked for anything. */
function unconnected(facts: RegistryFacts, now: number): Finding[] {
  const { from, wanted, connection, url, way, place, hasSystemd } = facts;
  if (way?.isUsable === false) return [];
  if (wanted.length > 0 || facts.key?.startsWith('modreg:') === true || !url || !connection) {
    return [answered(facts, now)];
  }
  if (connection.kind === 'failed') {
    if (connection.ofProxy) {
      const { message, hint = '' } = proxyFailure(connection.ofProxy, `the registry ${from}`);
      return [error(message, hint)];
    }
    const { code } = connection;
    const why = code === REFUSED ? REFUSED_WORDS : `cannot be reached (${excerpt(code)})`;
    return [error(`the registry ${from} ${why}`, connectionFix(code, url, place))];
  }
  const { certificate } = connection;
  if (certificate?.refusal !== undefined) {
    const found = `the certificate of the registry ${from} is refused (${excerpt(certificate.refusal)})`;
    return [error(found, certificateFix(certificate, url, { place, hint: undefined, hasSystemd }))];
  }
  return [info(`${from} takes connections; no module of it is known, so it was asked for none`)];
}

function answered(facts: RegistryFacts, now: number): Finding {
  const { from, url, wanted, tookMs, hasToken, connection } = facts;
  const count = countOf(new Set(wanted.map(({ moduleId }) => moduleId)).size, 'list');
  if (!url) return ok(`${from} can be read; ${count} wanted`);
  const certificate = connection?.kind === 'open' ? connection.certificate : undefined;
  const parts = [
    `${from} answers in ${Math.ceil(tookMs)} ms; ${count} wanted`,
    ...(hasToken ? ['a token was sent'] : []),
    ...(certificate && !isNearEnd(certificate, now)
      ? [`certificate valid ${until(certificate, now)}`]
      : []),
  ];
  return ok(parts.join('; '));
}
