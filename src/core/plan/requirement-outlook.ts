import type { AfterActions } from '../decision/after-actions.ts';
import { decideChecked } from '../decision/decide.ts';
import { replacementOf, wordFor, type Decision } from '../decision/decision.ts';
import { replacementText } from '../decision/replacement-text.ts';
import { deployedVersion } from '../decision/deployed.ts';
import {
  isAsked,
  machineFacts,
  type MachineFacts,
  type Provided,
} from '../releases/machine-facts.ts';
import type { Refused, RefusedRelease } from '../releases/refusal.ts';
import { newerRefused } from '../releases/resolve.ts';
import type { ModuleId } from '../releases/module-id.ts';
import { subsystemOf } from './required.ts';

/** A row of a plan, as the releases of other rows see it. */
export interface RequiredRow {
  /** The name of the module entry or the subsystem. */
  readonly name: string;
  /** The module that has its releases. */
  readonly moduleId: ModuleId;
  readonly isSubsystem: boolean;
  readonly decision: Decision;
}

export type UnmetRelease = Extract<RefusedRelease, { readonly reason: 'requirement-unmet' }>;

/** The releases that would replace what is deployed or selected but for what they require, newest first. */
export function unmetIn(decision: Decision): UnmetRelease[] {
  const { input, resolution } = decision;
  if (!resolution || !isAsked(input.eligibility.machine)) return [];
  const to = replacementOf(decision)?.to;
  const version = to && 'version' in to ? to.version : deployedVersion(input.deployed);
  const refused: Iterable<Refused> = version
    ? newerRefused(resolution, version)
    : resolution.refused();
  return Array.from(refused).filter((one) => one.reason === 'requirement-unmet');
}

/**
 * What is decided about `row` once the replacements of the other rows are made, those that are held included; undefined if
 * they make no difference, or if it does not wait for what a release requires (D88).
 */
export function afterActions(
  row: RequiredRow,
  rows: readonly RequiredRow[],
): AfterActions | undefined {
  const { input } = row.decision;
  const { machine } = input.eligibility;
  if (!machine || unmetIn(row.decision).length === 0) return undefined;
  const replaced = rows.filter((one) => one !== row && newVersionOf(one) !== undefined);
  if (replaced.length === 0) return undefined;
  const then = withReplaced(machine, replaced);
  const becomes = decideChecked({ ...input, eligibility: { ...input.eligibility, machine: then } });
  const [before, after] = [row.decision, becomes].map(outcomeOf);
  if (before === after) return undefined;
  const asked = [...(then.asked?.deployed.keys() ?? [])];
  const actions = replaced.flatMap((one) => {
    const to = newVersionOf(one);
    return to !== undefined && asked.some((of) => isOf(one, of)) ? [{ name: one.name, to }] : [];
  });
  return { actions, becomes };
}

function outcomeOf(decision: Decision): string {
  const replacement = replacementOf(decision);
  return `${wordFor(decision)} ${replacement ? replacementText(replacement) : ''}`;
}

/** The version that the row gets; undefined if it is not replaced by a version. */
export function newVersionOf({ decision }: RequiredRow): string | undefined {
  const replacement = replacementOf(decision);
  return replacement && 'version' in replacement.to && replacement.direction !== 'restart'
    ? replacement.to.version.text
    : undefined;
}

/** Whether a requirement of `of` is about the row. */
export function isOf({ name, moduleId, isSubsystem }: RequiredRow, of: string): boolean {
  return isSubsystem ? subsystemOf(of) === name : moduleId === of;
}

/** The machine once the `replaced` rows have their new versions. */
export function withReplaced(
  { deployed, hasTag, satisfies }: MachineFacts,
  replaced: readonly RequiredRow[],
): MachineFacts {
  return machineFacts({
    deployed: (of) => deployed(of).map((one) => replacedBy(one, of, replaced)),
    hasTag,
    satisfies,
  });
}

function replacedBy(one: Provided, of: string, replaced: readonly RequiredRow[]): Provided {
  const row = replaced.find(
    (other) => isOf(other, of) && (other.isSubsystem || other.name === one.entry),
  );
  const text = row && newVersionOf(row);
  return text === undefined ? one : { kind: 'version', text, entry: one.entry };
}
