import { wordFor } from '../decision/decision.ts';
import type { NextChange } from '../decision/next-change.ts';
import { OF_WHAT_RUNS } from '../decision/warning.ts';
import { reasonOf, type Reason } from '../explanation/reason.ts';
import { targetText, untilOf, requirementText } from '../explanation/plan-words.ts';
import { excerpt } from '../text/quote.ts';
import { joined, textOf, type Said } from '../text/time-words.ts';
import { newestAcceptedOf } from './latest.ts';
import type { Plan, PlanRow } from './plan.ts';
import { SUBSYSTEM_MODULES } from './subsystem.ts';
import { keyOf } from './target.ts';
import { yankedStaysWords } from './yanked-stays.ts';

/** The last decision about a module or subsystem, as `modreg status` shows it. */
export interface LoggedDecision {
  readonly kind: 'module' | 'subsystem';
  readonly name: string;
  readonly moduleId: string;
  /** As written; undefined if none is configured. */
  readonly constraint: string | undefined;
  readonly target: string | undefined;
  readonly latest: string | undefined;
  /**
   * The newest release that the constraint accepts, whatever this machine refuses (D452); absent if none of the module is in quarantine, and in what
   * an earlier modreg wrote.
   */
  readonly accepted?: string | undefined;
  /** One word: `up-to-date`, `hold`, `stuck`, … */
  readonly decision: string;
  /** Why, in one escaped line, with the dependency that its action waits for. */
  readonly reason: string;
  /** Why, as data; absent in what an earlier modreg wrote. */
  readonly because?: Reason | undefined;
  /** The dependency that its action waits for, escaped; absent if it waits for none. */
  readonly waitsFor?: string | undefined;
  /** The end of a hold or quarantine, in milliseconds since the epoch; undefined if there is none or it is not known. */
  readonly until: number | undefined;
  /**
   * What the passing of time alone makes of it; absent if that is not known, in what an earlier modreg wrote, and if it only follows from
   * the last confirmation of the list: each one would write it again (D340).
   */
  readonly next?: NextDecision | undefined;
  /** The deployed version and why it was yanked; absent if it was not. */
  readonly deployedYanked?:
    | {
        readonly version: string;
        /** As published; may be empty. */
        readonly because: string;
        /** What follows while it stays (D409); absent if it is replaced, and in what an earlier modreg wrote. */
        readonly stays?: string | undefined;
      }
    | undefined;
  /** The deployed version, if it should not run for another reason; absent if not, and in what an earlier modreg wrote. */
  readonly deployedUnfit?: string | undefined;
}

/** The next decision that time alone makes. */
export interface NextDecision {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** What happens then: `window-opens`, … */
  readonly because: string;
  /** In one word, as in the log. */
  readonly decision: string;
  readonly target: string | undefined;
}

/** A plan as rows of the decision log. `needs` contains the dependency that a due action waits for, by target key. */
export function loggedDecisions(
  { modules, subsystems }: Plan,
  needs: ReadonlyMap<string, string | undefined>,
): LoggedDecision[] {
  return [
    ...modules.map((row) => {
      const { name, moduleId } = row;
      const need = needs.get(keyOf({ kind: 'module', name }));
      const outcome = outcomeOf(row, need === undefined ? undefined : excerpt(need));
      return { kind: 'module', name, moduleId, ...outcome, ...constraintOf(row) } as const;
    }),
    ...subsystems.flatMap((row) => {
      const { target } = row;
      if (target.option === 'disable_subsystem') return [];
      const { name, option, releaseChannel } = target;
      const constraint =
        option === 'release_channel' ? { constraint: releaseChannel } : constraintOf(row);
      const moduleId = SUBSYSTEM_MODULES[name];
      return [{ kind: 'subsystem', name, moduleId, ...outcomeOf(row), ...constraint } as const];
    }),
  ];
}

function constraintOf({ decision }: PlanRow): Pick<LoggedDecision, 'constraint'> {
  return { constraint: requirementText(decision.input.requirement) };
}

/** What a reason ends with, before the dependency that an action waits for. */
export const WAITS_FOR = 'waits for ';

/** Why a decision was made, and the dependency that its action waits for. What an earlier modreg wrote has no times as data. */
export function loggedWords({
  reason,
  because,
  waitsFor,
}: Pick<LoggedDecision, 'reason' | 'because' | 'waitsFor'>): Said {
  if (!because) return reason;
  const waits = waitsFor === undefined ? undefined : `${WAITS_FOR}${waitsFor}, which it depends on`;
  return joined([because, waits], '; ');
}

function outcomeOf(
  row: PlanRow,
  waitsFor?: string,
): Omit<LoggedDecision, 'kind' | 'name' | 'moduleId' | 'constraint'> {
  const { decision, latest, warnings, nextChange } = row;
  const { input } = decision;
  const because = reasonOf(decision);
  const [yank] = warnings.flatMap((one) => (one.kind === 'deployed-yanked' ? [one] : []));
  return {
    target: targetText(decision),
    latest: latest?.text,
    ...(input.quarantine.length > 0 && { accepted: newestAcceptedOf(input)?.text }),
    decision: wordFor(decision),
    reason: textOf(loggedWords({ reason: '', because, waitsFor })),
    because,
    waitsFor,
    until: untilOf(decision),
    next: nextOf(nextChange),
    deployedYanked: yank && {
      version: yank.version.text,
      because: yank.because,
      stays: yankedStaysWords(row),
    },
    deployedUnfit: unfitIn(warnings),
  };
}

/** The deployed version, by the warnings that it should not run, without that of a yank. */
function unfitIn(warnings: PlanRow['warnings']): string | undefined {
  const unfit = warnings.find(({ kind }) => OF_WHAT_RUNS.has(kind) && kind !== 'deployed-yanked');
  return unfit && 'version' in unfit ? unfit.version.text : undefined;
}

function nextOf(change: NextChange | undefined): NextDecision | undefined {
  if (!change || change.because === 'list-unconfirmed') return undefined;
  const { at, because, becomes } = change;
  return { at, because, decision: wordFor(becomes), target: targetText(becomes) };
}
