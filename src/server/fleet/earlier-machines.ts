import { compareVersions, parseVersion, type ModuleId } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import type { Statements } from '../../sqlite/statements.ts';
import type { PublishedRelease } from '../catalogue/published-release.ts';
import { IS_RETIRED } from './retirement.ts';

/** The first modreg that knows `requires`, its prereleases included. An earlier one installs such a release all the same (T386). */
const KNOWS_REQUIRES = parseVersion('0.3.0-0');

/** Machines that reported, and do not know a field of a release. */
export interface EarlierMachines {
  readonly count: number;
  /** The id of one. */
  readonly example: string;
  /** The version of modreg that it reported. */
  readonly modreg: string;
}

/** The machines with the module that do not know what `release` requires; undefined if there are none, or it requires nothing. */
export function earlierMachines(
  sql: Statements,
  moduleId: ModuleId,
  { requires }: Pick<PublishedRelease, 'requires'>,
): EarlierMachines | undefined {
  if (requires === undefined) return undefined;
  const groups = sql.all(
    `SELECT modreg, count(*) AS count, min(name) AS example FROM machines
     WHERE NOT (${IS_RETIRED}) AND id IN (
       SELECT machine FROM placements JOIN states ON states.id = placements.state WHERE module_id = ?
     ) GROUP BY modreg ORDER BY modreg`,
    moduleId,
  );
  const earlier = groups.filter(({ modreg }) => !knowsRequires(modreg));
  const [first] = earlier;
  if (!first) return undefined;
  const count = earlier.reduce((sum, group) => sum + Number(group['count']), 0);
  return { count, example: String(first['example']), modreg: String(first['modreg']) };
}

function knowsRequires(modreg: unknown): boolean {
  const version = parseVersion(modreg);
  return (
    version.ok && KNOWS_REQUIRES.ok && compareVersions(version.value, KNOWS_REQUIRES.value) >= 0
  );
}

/** Why a release is not published. */
export function describeEarlier({ count, example, modreg }: EarlierMachines): string {
  const machines = count === 1 ? '1 machine runs' : `${count} machines run`;
  return `the release has requires, and ${machines} a modreg that ignores it: ${quote(example)} has ${quote(modreg)}, expected 0.3.0 or later`;
}
