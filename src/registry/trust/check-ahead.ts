import { scheduler } from 'node:timers/promises';
import { indexReleases, resolve, type ModuleId } from '../../core/index.ts';
import type { ListResult } from '../registry.ts';
import type { Wanted } from '../wanted-release.ts';

/**
 * Checks what the queries of new lists would select, one list in each event-loop turn, so that the plan of a machine with many
 * modules does not check them all at once (T464). The plan decides on its own: it knows more of the machine.
 */
export async function checkAhead(
  results: ReadonlyMap<ModuleId, ListResult>,
  wanted: Wanted,
): Promise<void> {
  for (const [moduleId, result] of results) {
    if (!result.ok) continue;
    const { records, trust } = result.value;
    const isNew = trust?.verdicts?.size === 0;
    if (!isNew) continue;
    const index = indexReleases(records);
    for (const { constraint, eligibility } of wanted(moduleId)) {
      resolve(constraint, index, { ...eligibility, trust });
    }
    await scheduler.yield();
  }
}
