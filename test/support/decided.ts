import { expect, it } from 'vitest';
import {
  decide,
  describeDecision,
  indexReleases,
  readDeployed,
  type Decision,
  type ModuleList,
  type DecideInput,
  type Timing,
  type Requirement,
  type Window,
} from '../../src/core/index.ts';
import { decisionWarnings } from '../../src/core/decision/warning.ts';
import type { ClockFault } from '../../src/core/releases/eligibility-policy.ts';
import type { FirstSeen } from '../../src/core/releases/publish-time.ts';
import { headlineOf, headlineText } from '../../src/core/explanation/headline.ts';
import { summarizeDecision } from '../../src/core/explanation/plan-words.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { constraint, records, version, type Published } from './ask.ts';
import { DAY, NOW } from './decides.ts';
import { trusting } from './trusting.ts';

/** The input of a decision about one module. An absent field restricts nothing. */
export interface Situation {
  /** A constraint as text, or another requirement. */
  readonly wanted: string | Requirement;
  /** `null` when nothing is deployed, undefined when unknown. */
  readonly deployed: string | null | undefined;
  readonly list?: readonly Published[] | { readonly error: { kind: string; message: string } };
  readonly stale?: { readonly confirmedAt: number; readonly message: string };
  readonly previous?: string;
  readonly failed?: string;
  readonly quarantine?: DecideInput['quarantine'];
  readonly changed?: readonly string[];
  /** The versions with enough signatures, if they need any. */
  readonly signed?: readonly string[];
  readonly firstSeen?: FirstSeen;
  readonly readAt?: number;
  readonly clock?: ClockFault;
  readonly eligibility?: Partial<DecideInput['eligibility']>;
  readonly allowDowngrade?: boolean;
  readonly onYank?: DecideInput['onYank'];
  readonly timing?: Partial<Timing>;
  readonly restartRequest?: DecideInput['restartRequest'];
  readonly upgradeRequest?: DecideInput['upgradeRequest'];
  readonly skippedFloors?: DecideInput['skippedFloors'];
}

const AT_ALL_TIMES: Timing = {
  window: undefined,
  answer: undefined,
  isServerBusy: false,
  restarts: [],
  restartCooldownMs: 5 * 60_000,
  restartCeiling: 12,
};

export function moduleQuestion(situation: Situation): DecideInput {
  const { wanted, deployed, previous, failed, quarantine = [] } = situation;
  const { allowDowngrade = true, onYank, restartRequest, upgradeRequest } = situation;
  const { skippedFloors } = situation;
  return {
    requirement: typeof wanted === 'string' ? constraint(wanted) : wanted,
    list: listOf(situation),
    deployed: readDeployed(deployed),
    previous: previous === undefined ? undefined : version(previous),
    failed: failed === undefined ? undefined : version(failed),
    quarantine,
    eligibility: { now: NOW, platform: 'linux/arm64', ...situation.eligibility },
    maxIndexAgeMs: 7 * DAY,
    allowDowngrade,
    onYank,
    restartRequest,
    upgradeRequest,
    skippedFloors,
    timing: { ...AT_ALL_TIMES, ...situation.timing },
  };
}

function listOf({
  list = [],
  stale,
  changed = [],
  signed,
  firstSeen,
  readAt,
  clock,
}: Situation): ModuleList {
  if ('error' in list) return list;
  const changes = changed.map(
    (text) => [text, { platform: 'any', first: 'sha256:aa', now: 'sha256:bb' }] as const,
  );
  const index = indexReleases(records(list));
  const trust = signed && trusting(...signed);
  return { index, changedDigests: new Map(changes), firstSeen, readAt, clock, stale, trust };
}

/** `upgrade to 1.2.9: newest patch of 1.2`, with the end of a hold and the code of a stuck decision. */
export function told(decision: Decision): string {
  const until =
    decision.kind === 'hold' && decision.until !== undefined
      ? ` until ${formatTime(decision.until)}`
      : '';
  const code = decision.kind === 'stuck' ? ` ${decision.code}` : '';
  // People read one word for both kinds that stay, so the word of the data is compared.
  const word = decision.kind === 'keep' ? decision.because : summarizeDecision(decision);
  return `${word}${code}${until}: ${describeDecision(decision)}`;
}

interface Case extends Situation {
  readonly case: string;
  readonly expected: string;
  readonly warns?: readonly string[];
}

/** Defines one test per row. Each list is tested in both orders. */
export function decidesOn(rows: readonly Case[]): void {
  // vitest cuts `$case` off at 40 characters.
  const titled = rows.map((row) => [row.case, row] as const);
  it.each(titled)('%s', (_title, { expected, warns = [], ...situation }) => {
    const { list = [] } = situation;
    const orders = 'error' in list ? [list] : [list, list.toReversed()];
    for (const order of orders) {
      const decision = decide(moduleQuestion({ ...situation, list: order }));
      const warnings = decisionWarnings(decision);
      expect(told(decision)).toBe(expected);
      expect(warnings.map(({ kind }) => kind)).toEqual(warns);
      // Each decision of the table has a headline that fits (D352).
      expect(headlineText(headlineOf(decision, warnings), NOW)).toMatch(/^.{5,60}$/u);
    }
  });
}

/** A window that is open from the first to the second time of each pair. The pairs are in ascending order. */
export function openFrom(...openings: readonly (readonly [number, number])[]): Window {
  const openAt = (at: number) => openings.find(([start, end]) => at >= start && at < end);
  return {
    openSince: (at) => openAt(at)?.[0],
    nextOpening: (at) => openings.find(([start]) => start > at)?.[0],
    closing: (at) => openAt(at)?.[1],
  };
}
