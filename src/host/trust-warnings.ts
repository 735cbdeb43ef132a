import { unsignedReleases } from '../config/cross-checks/unsigned-releases.ts';
import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import { describeDuration } from '../core/text/duration.ts';
import { formatTime } from '../core/text/rfc3339.ts';
import type { ListResult } from '../registry/registry.ts';
import type { Problem } from '../base/problem.ts';

const SOON_MS = 60 * 86_400_000;

/** The warning that the trust document of `from` expires soon. One that has expired is an error of the registry (D151, D178). */
export function expiryWarning(from: string, expires: number, now: number): Problem | undefined {
  const left = expires - now;
  if (left <= 0 || left >= SOON_MS) return undefined;
  return {
    severity: 'warning',
    kind: 'trust-expires',
    message: `the trust document of ${from} expires at ${formatTime(expires)}, in ${describeDuration(left)}`,
    hint: 'store a later version on the host of the registry before then: modreg keys update',
  };
}

/** What a machine should know about whom it trusts: registries without a pin, and trust documents that expire soon (D178). */
export function trustWarnings(
  policy: UpdatePolicy,
  lists: Iterable<ListResult>,
  now: number,
): Problem[] {
  const unsigned = unsignedReleases(policy).map(({ message }): Problem => {
    return { severity: 'warning', kind: 'unsigned-releases', message };
  });
  const documents = new Map<string, number>();
  for (const list of lists) {
    const { from = '', trust } = list.ok ? list.value : {};
    if (trust?.document) documents.set(from, trust.document.expires);
  }
  const expiring = Array.from(documents, ([from, expires]) => expiryWarning(from, expires, now));
  return [...unsigned, ...expiring.filter((one) => one !== undefined)];
}
