import type { DecideInput, Result, Version } from '../../core/index.ts';
import type { Requester } from '../../core/decision/restart-request.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { RolledBack } from '../../core/releases/eligibility-policy.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { isPolled } from '../../store/claim.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor, rowNamed, targetOf } from '../machine-row.ts';
import { openActionOf } from '../open-action.ts';
import { inFile } from '../open-state.ts';
import { timesOn } from '../time-zones.ts';
import { foundRollback, type FoundRollback } from './found-rollback.ts';

type Quarantined = DecideInput['quarantine'][number];

/** A rollback of what is deployed, and what the planner makes of it. */
export interface Rollback {
  readonly row: LoggedDecision;
  /** The deployed version. */
  readonly from: string;
  /** The version that replaces it. */
  readonly to: string;
  readonly found: FoundRollback;
  /** When it begins, and when it ends; undefined if an operator ends it. */
  readonly at: number;
  readonly until: number | undefined;
  /** The rollback from the same version whose place it takes; undefined for none, or for one of the same target and end (D377). */
  readonly replaces: Quarantined | undefined;
  /** What was delivered, which the agent ends first. */
  readonly has: OpenAction | undefined;
  /** Whether a process polls for the machine, which begins what is due within a second (D386). */
  readonly isPolled: boolean;
  readonly times: TimeContext;
}

interface Term {
  /** How long it lasts, in milliseconds; undefined if an operator ends it. */
  readonly termMs: number | undefined;
  /** The version to roll back to; absent for the one that was deployed before. */
  readonly wanted?: Version | undefined;
  /** Who asks for it, and why; absent if that is not known. */
  readonly requester?: Requester | undefined;
}

/** What a rollback would do, or why the target cannot be rolled back (D32). */
export function rollbackOf(named: string, term: Term, world: World): Result<Rollback, Problem[]> {
  return inFile(world, 'read', (file) => rollbackIn(file, named, term, world));
}

/** What the person saw who asks for a rollback; undefined if a program asks that did not look. */
interface Seen {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * The previous version replaces the deployed one. The versions above it that are in the saved list are refused until the
 * rollback ends (D32). If the versions are others than those `seen`, nothing is changed, and `isAsSeen` is false.
 */
export function rollBack(
  named: string,
  { seen = {}, ...term }: Term & { readonly seen?: Seen },
  world: World,
): Result<Rollback & { readonly isAsSeen: boolean }, Problem[]> {
  return inFile(world, 'write', (file) => {
    const rollback = rollbackIn(file, named, term, world);
    if (!rollback.ok) return rollback;
    const { row, from, to, found, at, until } = rollback.value;
    const isAsSeen = (seen.from ?? from) === from && (seen.to ?? to) === to;
    const isMade =
      isAsSeen &&
      machineStateIn(file).rollBack(
        targetOf(row),
        { ...found.rolledBack, requester: term.requester },
        { at, until },
      );
    return isMade || !isAsSeen
      ? { ok: true, value: { ...rollback.value, isAsSeen } }
      : { ok: false, error: [replacedMeanwhile(row)] };
  });
}

function rollbackIn(
  file: MachineFile,
  named: string,
  { termMs, wanted }: Term,
  world: World,
): Result<Rollback, Problem[]> {
  const state = machineStateIn(file);
  const entry = rowNamed(named, state.decisions());
  if (!entry.ok) return entry;
  const row = entry.value;
  const at = world.clock();
  const until = termMs === undefined ? undefined : at + termMs;
  const found = foundRollback(row, { state, saved: savedListsIn(file), now: at, until, wanted });
  if (!found.ok) return found;
  const { from, to } = found.value.rolledBack;
  const memory = state.memory();
  const { quarantine } = memory.of(targetOf(row));
  const replaces = otherRollback(quarantine, found.value.rolledBack, { at, until });
  const open = openActionOf(row, memory);
  const has = open?.state === 'delivered' ? open : undefined;
  const times = timesOn(state, world)(row.moduleId);
  const versions = { from: from.text, to: to.text };
  return {
    ok: true,
    value: {
      row,
      ...versions,
      found: found.value,
      at,
      until,
      replaces,
      has,
      isPolled: isPolled(file.path),
      times,
    },
  };
}

/** A rollback that is in force from the same version, and has another target or another end. */
function otherRollback(
  quarantine: readonly Quarantined[],
  { from, to }: RolledBack,
  { at, until }: Pick<Rollback, 'at' | 'until'>,
): Quarantined | undefined {
  return quarantine.find(
    (one) =>
      one.rolledBack !== undefined &&
      one.version === from.text &&
      at < (one.until ?? Infinity) &&
      (one.rolledBack.to?.text !== to?.text || one.until !== until),
  );
}

function replacedMeanwhile(row: LoggedDecision): Problem {
  const message = `${labelFor(row)} was replaced in the meantime; nothing was changed`;
  const hint = 'modreg status shows the deployed version';
  return { severity: 'error', kind: 'locked', message, hint };
}
