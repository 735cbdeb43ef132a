import type { ModuleId, PlanRow } from '../core/index.ts';
import { labelOf } from '../core/explanation/plan-cells.ts';
import { quarantinedIn, remedyOf, type Remedy } from '../core/plan/remedy.ts';
import type { StateFacts } from '../core/plan/row-state.ts';
import { firstFew } from '../core/text/few.ts';
import { excerpt } from '../core/text/quote.ts';
import { shellWord } from '../base/shell-word.ts';

/** What a person can do about a module or subsystem, and its name as a command takes it. */
export interface NamedRemedy {
  readonly remedy: Remedy;
  readonly name: string;
  /** What is lifted from quarantine. */
  readonly version?: string | undefined;
  /** Whether the hold is that of the whole machine. */
  readonly isOfMachine?: boolean;
}

/** The name of a module entry as a command takes it: its module_id, if the name follows from that. */
export function commandName(entry: { readonly name: string; readonly moduleId: string }): string {
  const moduleId = entry.moduleId as ModuleId;
  return labelOf({ ...entry, moduleId }) === moduleId ? moduleId : entry.name;
}

/** What a person can do about a row of a plan. */
export function rowRemedies(
  row: PlanRow,
  { name, ...now }: Pick<StateFacts, 'open' | 'isFailing'> & { readonly name: string },
): NamedRemedy[] {
  const remedy = remedyOf(row, now);
  if (remedy === undefined) return [];
  const { decision } = row;
  // The constraint of a subsystem is no entry of the machine config.
  if (remedy === 'yanked' && 'target' in row) return [];
  const isOfMachine =
    decision.kind === 'hold' &&
    decision.because.some((hold) => hold.reason === 'operator-hold' && hold.of === 'machine');
  return [{ remedy, name, version: quarantinedIn(row), isOfMachine }];
}

/** How many names are said. */
const NAMED = 3;

/** What a person can do: a line for each command, with the modules that it is for if they are several (D468). */
export function remedyLines(found: readonly NamedRemedy[]): string[] {
  const groups = Map.groupBy(found, (one) =>
    lineFor({ ...one, name: 'MODULE', version: 'VERSION' }),
  );
  return Array.from(groups, ([line, group]) => {
    const [one, other] = group;
    if (one && !other) return lineFor(one);
    if (!line.includes('MODULE')) return line;
    const names = group.map(({ name }) => excerpt(name));
    return `${line} (${firstFew(names, NAMED).join(', ')})`;
  });
}

function lineFor({ remedy, name, version = '', isOfMachine }: NamedRemedy): string {
  const module = name === 'MODULE' ? name : shellWord(name);
  switch (remedy) {
    case 'failing':
      return `Why: modreg agent logs ${module}; go back: modreg rollback ${module}`;
    case 'failing-alone':
      return `Why: modreg agent logs ${module}`;
    case 'machine':
    case 'registry':
      return 'Find out more: modreg doctor';
    case 'held':
      return `End the hold: modreg unhold${isOfMachine ? '' : ` ${module}`}`;
    case 'held-and-waits':
      return `End the hold: modreg unhold${isOfMachine ? '' : ` ${module}`}; then begin now: modreg upgrade ${module} --now`;
    case 'waits':
      return `Begin now: modreg upgrade ${module} --now`;
    case 'restart-waits':
      return `Restart now: modreg restart ${module} --now`;
    case 'yanked':
      return `Replace it: modreg set ${module} VERSION, or modreg rollback ${module}`;
    case 'quarantined':
      return `Select ${version} again: modreg quarantine lift ${module} ${shellWord(version)}`;
  }
}
