import { parseVersion, type ModuleId } from '../../core/index.ts';
import { compareVersions } from '../../core/version/version-order.ts';
import { firstFew } from '../../core/text/few.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { PublishedRelease } from '../catalogue/published-release.ts';
import { IS_RETIRED } from './retirement.ts';

/** The fields of a release that earlier machines ignore, and the first modreg that knows each. */
const KNOWN_SINCE = { floor: '0.3.0', requires: '0.3.0' } as const satisfies Partial<
  Record<keyof PublishedRelease, string>
>;

/** How many machines are named. */
const NAMED = 3;

/** Whether the release has a field that earlier machines ignore. */
export function hasLaterField(release: PublishedRelease): boolean {
  return fieldsOf(release).length > 0;
}

function fieldsOf(release: PublishedRelease): (keyof typeof KNOWN_SINCE)[] {
  return (['floor', 'requires'] as const).filter((field) => release[field] !== undefined);
}

/**
 * Which machines with the module reported a modreg that ignores a field of `release`, in one escaped line; undefined if none did. A
 * version that cannot be read counts as an earlier one (D93).
 */
export function olderMachines(
  sql: Statements,
  moduleId: ModuleId,
  release: PublishedRelease,
): string | undefined {
  const field = fieldsOf(release).find((one) => ignoring(sql, moduleId, one).length > 0);
  if (!field) return undefined;
  const machines = ignoring(sql, moduleId, field);
  const named = firstFew(
    machines.map(({ name, modreg }) => `${excerpt(name)} (${excerpt(modreg)})`),
    NAMED,
  );
  const count = `${machines.length} ${machines.length === 1 ? 'machine' : 'machines'}`;
  return `${count} with ${moduleId} reported a modreg before ${KNOWN_SINCE[field]}, which ignores ${field}: ${named.join(', ')}`;
}

function ignoring(
  sql: Statements,
  moduleId: ModuleId,
  field: keyof typeof KNOWN_SINCE,
): { readonly name: string; readonly modreg: string }[] {
  return sql
    .all(MACHINES, moduleId)
    .map((row) => ({ name: String(row['name']), modreg: String(row['modreg'] ?? 'unknown') }))
    .filter(({ modreg }) => isBefore(modreg, KNOWN_SINCE[field]));
}

/** A prerelease of the first version knows the field: 0.3.0-dev is what a tree without a release of 0.3.0 builds. */
function isBefore(modreg: string, since: string): boolean {
  const [found, first] = [parseVersion(modreg), parseVersion(`${since}-0`)];
  return !found.ok || (first.ok && compareVersions(found.value, first.value) < 0);
}

const MACHINES = `SELECT DISTINCT machines.id, machines.name AS name, modreg
  FROM placements JOIN machines ON machines.id = placements.machine
  WHERE state IN (SELECT id FROM states WHERE module_id = ?) AND NOT (${IS_RETIRED})
  ORDER BY machines.id`;
