import { expect } from 'vitest';
import type { ModuleId } from '../../../src/core/index.ts';
import { cohort } from '../../../src/core/rollout/cohort.ts';
import { moduleId, NOW, testSite, type TestSite } from './site-page.ts';

export const LIDAR: ModuleId = moduleId('acme:lidar');
export const ROLLOUT = '/rollouts/acme%3Alidar/1.3.0';
const MACHINES = ['rover-1', 'rover-2', 'rover-3', 'rover-4', 'rover-5', 'rover-6'];
/** The machines in the order in which a share includes them. */
export const BY_COHORT: readonly string[] = MACHINES.toSorted(
  (a, b) => cohort(a, 'salt') - cohort(b, 'salt'),
);

/** Six machines, the first four of which are in the step of 5 %: two are healthy, one failed, and one waits. */
export async function rollingOut(): Promise<TestSite> {
  const site = testSite();
  site.publish('acme:lidar', '1.2.9', '1.3.0');
  site.catalogue.yank(LIDAR, '1.3.0', '');
  const [fourth = '', fifth = ''] = BY_COHORT.slice(3);
  const share = (cohort(fourth, 'salt') + cohort(fifth, 'salt')) / 2;
  const started = { kind: 'started', after: 0, at: NOW, salt: 'salt', percent: 5, share } as const;
  const change = { kind: 'rollout', moduleId: LIDAR, version: '1.3.0', event: started } as const;
  expect(site.catalogue.apply({ ...change, soakMs: 3_600_000 }).ok).toBe(true);
  for (const id of MACHINES) await site.report(id, [{}]);
  const [first = '', second = '', third = ''] = BY_COHORT;
  const done = { to: '1.3.0', from: '1.2.9' };
  await site.report(first, [{ deployed: '1.3.0' }], done);
  await site.report(second, [{ deployed: '1.3.0' }], done);
  await site.report(third, [{}], { ...done, result: 'failed', reason: 'motor stalled' });
  return site;
}

export function stateOf({ catalogue }: TestSite): Record<string, unknown> {
  const found = catalogue.rollouts.of(LIDAR, '1.3.0');
  const { status, percent, sequence, because, acknowledged } = Object(
    found.ok && found.value?.rollout,
  );
  return { status, percent, sequence, because, acknowledged };
}

/** The event that a person saw last. */
export function seenIn(site: TestSite): string {
  return String(stateOf(site)['sequence']);
}
