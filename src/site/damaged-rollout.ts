import { excerpt } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';

/** What repairs a damaged rollout. */
export const REPAIR_OF_ROLLOUT =
  'find the row with modreg registry verify where the registry runs, then restore a backup with modreg registry restore';

/** A damaged rollout, and what it comes to (T207). `found` has the row, if that is known. */
export function damagedRollout(
  { moduleId, version }: { readonly moduleId: string; readonly version: string },
  found: readonly string[] = [],
): Problem {
  const message = `${excerpt(moduleId)} ${excerpt(version)}: a row of its rollout is damaged`;
  const effect = `it is neither raised nor halted, and ${excerpt(moduleId)} has no list; machines keep what they have, and other rollouts go on`;
  const because = [...found, effect];
  return { severity: 'error', kind: 'damaged', message, because, hint: REPAIR_OF_ROLLOUT };
}
