import type { Decision, PlanRow, Release } from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import type { ListResult } from '../../registry/registry.ts';

/** So many releases are named. */
const NAMED = 8;

/** The release that a decision deploys, now or later, if its registry has notes of it (D380). */
export function notedReleaseOf(decision: Decision): Release | undefined {
  const to = replacementOf(decision)?.to;
  return to && 'version' in to && to.hasNotes ? to : undefined;
}

/** Where people read the notes of what a plan deploys. */
export function releaseNotes(
  rows: readonly (Pick<PlanRow, 'decision'> & {
    readonly moduleId: string;
    readonly name: string;
  })[],
  lists: ReadonlyMap<string, ListResult>,
): string[] {
  const commands = rows.flatMap(({ decision, moduleId, name }) => {
    const release = notedReleaseOf(decision);
    const list = lists.get(name);
    if (!release || list?.ok !== true) return [];
    const { source, from } = list.value;
    // A folder and the samples have lists only.
    if (source === 'folder' || source === 'sample') return [];
    const place = source === 'database' ? `--db ${from}` : `--registry ${from}`;
    return `note: release notes: modreg registry show ${moduleId} ${release.version.text} ${place}`;
  });
  return [...new Set(commands)].slice(0, NAMED);
}
