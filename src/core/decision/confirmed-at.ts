import type { ModuleList } from './module-list.ts';

/** When a registry last confirmed the list; undefined for a list that was read just now. */
export function confirmedAtOf({
  stale,
  readAt,
}: Omit<Extract<ModuleList, { readonly index: unknown }>, 'index'>): number | undefined {
  return stale ? stale.confirmedAt : readAt;
}
