import { reasonOf } from '../../core/rollout/rollout.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readTrustDocument } from '../../core/trust/trust-document.ts';
import type { ModuleId } from '../../core/index.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { FleetFile } from '../fleet/fleet-file.ts';
import { rolloutView, type RolloutView } from '../rollout/rollout-view.ts';
import type { Notice } from '../notice.ts';

/** Something that is so, and what is told when it begins (D211). Its key is another one when it begins again. */
export type Condition = Notice & { readonly key: string };

const DAY_MS = 86_400_000;
const CERTIFICATE_MS = 14 * DAY_MS;
const TRUST_MS = 60 * DAY_MS;

/** Rollouts that are halted, and those whose machines fail. Rejects with a DatabaseError. */
export async function rolloutConditions(
  catalogue: Pick<Catalogue, 'rollouts'>,
  fleet: FleetFile,
  now: number,
): Promise<Condition[]> {
  const found: Condition[] = [];
  for (const named of catalogue.rollouts.all().rollouts) {
    const { moduleId, version, rollout } = named;
    const facts = { module_id: moduleId, version };
    if (rollout.status === 'halted') {
      const because = reasonOf(rollout) ?? null;
      const text = `the rollout of ${moduleId} ${version} is halted: ${excerpt(because ?? 'its release is yanked')}`;
      const key = `rollout-halted ${moduleId} ${version} ${rollout.sequence}`;
      found.push({ key, event: 'rollout-halted', facts: { ...facts, because }, text });
    } else if (rollout.status === 'running') {
      const view = await fleet.readInSlices((sql) => rolloutView(sql, named, now));
      found.push(...failing(view));
    }
  }
  return found;
}

function failing({ moduleId, version, rollout, next }: RolloutView): Condition[] {
  if (next.kind !== 'wait' || next.because.reason !== 'failing') return [];
  const { failed, machines } = next.because;
  const text = `the rollout of ${moduleId} ${version} fails: ${failed} of ${machines} machines of its step failed, and none is healthy`;
  const key = `rollout-failing ${moduleId} ${version} ${rollout.sequence}`;
  const facts = { module_id: moduleId, version, failed, machines };
  return [{ key, event: 'rollout-failing', facts, text }];
}

/** The yanked releases of a module. */
export function yankConditions(catalogue: Catalogue, moduleId: ModuleId): Condition[] {
  return catalogue
    .yanked(moduleId)
    .map(({ version, reason }) => ({
      key: `${yankKeys(moduleId)}${version}`,
      event: 'release-yanked',
      facts: { module_id: moduleId, version, reason },
      text: `${moduleId} ${version} is yanked${reason === '' ? '' : `: ${excerpt(reason)}`}`,
    }));
}

/** What the keys of the yanked releases of a module begin with. */
export function yankKeys(moduleId: ModuleId): string {
  return `release-yanked ${moduleId} `;
}

/** A certificate that expires within two weeks; `validTo` is in seconds. */
export function certificateConditions(validTo: number | undefined, now: number): Condition[] {
  const expires = (validTo ?? Infinity) * 1000;
  if (expires - now > CERTIFICATE_MS) return [];
  const text = `the TLS certificate of the registry ${expiry(expires, now)}: renew the file of --tls-cert`;
  const facts = { expires_at: formatTime(expires) };
  return [{ key: `certificate-expires ${expires}`, event: 'certificate-expires', facts, text }];
}

/** A trust document that expires within 60 days (D178). */
export function trustConditions({ trust }: Pick<Catalogue, 'trust'>, now: number): Condition[] {
  const newest = trust.newest();
  const read = newest === undefined ? undefined : readTrustDocument(newest);
  if (!read?.ok || read.value.expires - now > TRUST_MS) return [];
  const { version, expires } = read.value;
  const text = `version ${version} of the trust document ${expiry(expires, now)}: store a later one with modreg keys update`;
  const facts = { version, expires_at: formatTime(expires) };
  return [{ key: `trust-expires ${version}`, event: 'trust-expires', facts, text }];
}

function expiry(expires: number, now: number): string {
  if (expires <= now) return `expired at ${formatTime(expires)}`;
  return `expires at ${formatTime(expires)}, in ${describeDuration(expires - now)}`;
}
