import type { UpdatePolicy } from './index.ts';
import type { Window } from '../core/index.ts';

/** The time zone of the maintenance windows: that of the first one; undefined if there are none. */
export function timeZoneOf(window: Window | undefined): string | undefined {
  return window?.windows?.[0]?.timeZone;
}

/** The time zone of a policy: that of its own windows, else of the first module that has any. */
export function timeZoneIn({ terms, modules }: UpdatePolicy): string | undefined {
  const windows = [terms, ...modules.values()].map(({ window }) => timeZoneOf(window));
  return windows.find((zone) => zone !== undefined);
}
