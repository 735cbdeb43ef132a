import {
  decide,
  indexReleases,
  type Constraint,
  type Decision,
  type PlanRow,
} from '../core/index.ts';
import { nextChange } from '../core/decision/next-change.ts';
import { wordFor } from '../core/decision/decision.ts';
import { deployedVersion } from '../core/decision/deployed.ts';
import { decisionWarnings } from '../core/decision/warning.ts';
import { newerWords } from '../core/explanation/newer-words.ts';
import { targetText, warningWords } from '../core/explanation/plan-words.ts';
import { isTooYoung } from '../core/plan/waiting-for-age.ts';
import { latestOf } from '../core/plan/latest.ts';
import { textOf } from '../core/text/time-words.ts';
import type { Provided } from '../core/releases/machine-facts.ts';
import type { ReleaseList } from '../registry/registry.ts';
import type { MachineDetail } from '../server/fleet/machine-detail.ts';
import type { PlacedModule } from '../server/fleet/machine-queries.ts';
import { timeZoneOf } from '../config/time-zone.ts';
import { decodeFacts } from '../store/facts.ts';
import { moduleOf, providedBy } from './other-modules.ts';
import { answersIn, factsOf } from './reported-answers.ts';
import type { ReportedWindows } from './reported-windows.ts';

/** What a plan of the machine says besides its decision. */
export interface RefusedHere {
  /** Why newer releases are refused; undefined if none is. */
  readonly newer: string | undefined;
  /** What a plan warns of, in words. */
  readonly warnings: readonly string[];
  /** The row of that plan; undefined if the machine decided otherwise, and if its windows take too long (D413). */
  readonly row: PlanRow | undefined;
  /** Of its times; undefined for UTC. */
  readonly timeZone: string | undefined;
}

const NOTHING: RefusedHere = {
  newer: undefined,
  warnings: [],
  row: undefined,
  timeZone: undefined,
};

/** What this registry has, and the machine that is shown. */
interface Shown {
  readonly machine: MachineDetail;
  readonly records: ReleaseList['records'];
  readonly windowOf: ReportedWindows['windowOf'];
  readonly now: number;
  /** Whether it is asked when a replacement is due, which can take long (T268). */
  readonly when: 'asked' | 'not-asked';
}

/**
 * Why a machine does not get what is newer in this registry, by the decision that it would make from what it reported (D123). Nothing if
 * it is stuck, which has its own reason, if it does not report its policy, or if what it reported cannot be used (T269).
 */
export function refusedHere(module: PlacedModule, shown: Shown): RefusedHere {
  const { facts, decision: word } = module;
  if (!facts || word === 'stuck' || shown.records.length === 0) return NOTHING;
  try {
    const decision = decisionNow(facts, shown);
    if (!decision) return NOTHING;
    const row = shown.when === 'asked' ? rowOf(decision, module) : undefined;
    return { ...wordsOf(decision), row, timeZone: row && usableZone(row) };
  } catch (error) {
    if (error instanceof Error) return NOTHING;
    throw error;
  }
}

/** The decision that a machine would make with another constraint; undefined if what it reported cannot be used. */
export function decisionSupposing(
  facts: object,
  shown: Shown,
  constraint: Constraint,
): Decision | undefined {
  try {
    return decisionNow(facts, shown, constraint);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function decisionNow(
  reported: object,
  { machine, records, windowOf, now, when }: Shown,
  requirement?: Constraint,
): Decision | undefined {
  const decoded = decodeFacts(reported, { index: indexReleases(records), windowOf });
  if ('damaged' in decoded) return undefined;
  const { input } = decoded;
  const at = when === 'asked' ? input.timing : WHENEVER;
  const timing = { ...input.timing, ...at, isServerBusy: false, restarts: [] };
  const { id: machineId, group, modules } = machine;
  const facts = factsOf(answersIn(input), requiredOn(modules, records));
  return decide({
    ...input,
    requirement: requirement ?? input.requirement,
    timing,
    eligibility: { ...input.eligibility, machine: facts, machineId, group, now },
  });
}

const WHENEVER = { window: undefined, blackouts: undefined };

/** A decision as a row of a plan, if the machine decided the same. What is only too young is reported as a hold (D469). */
function rowOf(decision: Decision, { decision: word, target }: PlacedModule): PlanRow | undefined {
  const row: PlanRow = {
    decision,
    latest: latestOf(decision.input, { kind: 'latest' }),
    stops: [],
    nextChange: nextChange(decision),
    warnings: decisionWarnings(decision),
  };
  const decided = isTooYoung(row) ? 'hold' : wordFor(decision);
  return decided === word && targetText(decision) === target ? row : undefined;
}

/** Throws for one that is none: a machine can report any text (T269). */
function usableZone({ decision }: PlanRow): string | undefined {
  const timeZone = timeZoneOf(decision.input.timing);
  return timeZone && new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
}

/** What the machine reported of what the releases require. */
function requiredOn(
  modules: readonly PlacedModule[],
  records: ReleaseList['records'],
): ReadonlyMap<string, readonly Provided[]> {
  const asked = new Set([...records].flatMap(({ requires = {} }) => Object.keys(requires)));
  return new Map(
    Array.from(asked, (of) => {
      const id = moduleOf(of);
      const own = modules.filter((one) => one.moduleId === id);
      return [of, own.map(({ deployed }) => providedBy(deployed))] as const;
    }).filter(([, reported]) => reported.length > 0),
  );
}

function wordsOf(decision: Decision): Omit<RefusedHere, 'row' | 'timeZone'> {
  const { resolution, input } = decision;
  const deployed = deployedVersion(input.deployed);
  const selected = resolution?.kind === 'resolved' ? resolution.release.version : deployed;
  const newer = resolution && selected && newerWords(resolution, selected, deployed);
  const warnings = decisionWarnings(decision).filter(({ kind }) => !IN_DECISION.has(kind));
  return {
    newer: newer && textOf(newer),
    warnings: warnings.map((one) => textOf(warningWords(one, decision))),
  };
}

/** The decision of the machine says them. */
const IN_DECISION: ReadonlySet<string> = new Set(['ahead', 'downgrade', 'deployed-not-a-version']);
