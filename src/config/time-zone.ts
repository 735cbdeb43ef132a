import type { UpdatePolicy } from './index.ts';
import type { Timing } from '../core/index.ts';

/** The time zone of the maintenance windows, else of the blackouts: that of the first one; undefined if there are none. */
export function timeZoneOf({
  window,
  blackouts,
}: Pick<Timing, 'window' | 'blackouts'>): string | undefined {
  return window?.windows?.[0]?.timeZone ?? blackouts?.[0]?.timeZone;
}

/** The time zone of a policy: that of its own windows or blackouts, else of the first module that has any. */
export function timeZoneIn({ terms, modules }: UpdatePolicy): string | undefined {
  const zones = [terms, ...modules.values()].map(timeZoneOf);
  return zones.find((zone) => zone !== undefined);
}
