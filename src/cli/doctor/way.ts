import type { SecureContext } from 'node:tls';
import { authoritiesIn } from '../../registry/http/authorities.ts';
import { proxyFor, type Proxy, type Variables } from '../../registry/http/proxy.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { findingsOf, type Finding } from './finding.ts';

const { info, error } = findingsOf('registry');

/** How this machine reaches a server: through which proxy, and which authorities it trusts. */
export interface WayThere {
  readonly proxy: Proxy | undefined;
  readonly context: () => SecureContext;
  /** What is worth knowing about it, and what is wrong. */
  readonly findings: readonly Finding[];
  /** Whether a connection can be made this way. Without its proxy or its authorities it would be another one (T512). */
  readonly isUsable: boolean;
}

/** The way of a process with this environment to the registry `from` at `url`. (D113, D114) */
export function wayTo(url: URL, from: string, environment: Variables): WayThere {
  const findings: Finding[] = [];
  const proxy = noting(findings, () => proxyFor(url, environment));
  if (proxy) {
    const { variable } = proxy;
    findings.push(info(`${from} is reached through the proxy ${proxy.url.origin} (${variable})`));
  }
  const isTls = [url, proxy?.url].some((one) => one?.protocol === 'https:');
  const authorities = isTls ? noting(findings, () => authoritiesIn(environment)) : undefined;
  if (authorities?.own !== undefined) {
    findings.push(info(`${from}: authorities of ${authorities.own} are trusted (MODREG_CA_FILE)`));
  }
  return {
    proxy,
    context: () => (authorities ?? authoritiesIn(environment)).context,
    findings,
    isUsable: findings.every(({ severity }) => severity !== 'error'),
  };
}

function noting<T>(findings: Finding[], work: () => T): T | undefined {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    findings.push(error(cause.message, cause.hint ?? 'correct the environment'));
    return undefined;
  }
}
