import {
  decide,
  describeDecision,
  indexReleases,
  parseVersion,
  type DecideInput,
  type Decision,
  type Result,
} from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { replacementText } from '../../core/decision/replacement-text.ts';
import { deployedText, deployedVersion } from '../../core/decision/deployed.ts';
import type { ClockReading } from '../../core/decision/operator-hold.ts';
import { waitsForMoment } from '../../core/decision/timing-policies.ts';
import { UPGRADE_REQUEST_MS, type UpgradeRequest } from '../../core/decision/upgrade-request.ts';
import { describeAddress } from '../../core/explanation/decision-words.ts';
import { holdWords } from '../../core/explanation/hold-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { readable, type TimeContext } from '../../core/text/time-words.ts';
import { isPolled } from '../../store/claim.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import type { ErrorKind } from '../../base/codes.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { clockReading } from '../clock-reading.ts';
import { labelFor, rowNamed, targetOf } from '../machine-row.ts';
import { openActionOf } from '../open-action.ts';
import { inFile } from '../open-state.ts';
import { currentInput } from '../restored-input.ts';
import { timesOn } from '../time-zones.ts';
import { asLastDecided } from './as-last-decided.ts';
import { commandFor } from './holds.ts';
import { faultsOf, namedVetoes, type UpgradeWish } from './upgrade-wish.ts';

/** What is selected for a target, and what holds it. */
export interface Upgrade {
  readonly row: LoggedDecision;
  /** The decision about it now, with the request if one was made; undefined if that is not known here. */
  readonly decision: Decision | undefined;
  /** The request that was made; undefined if none was. */
  readonly request: UpgradeRequest | undefined;
  /** When the request ends, in milliseconds since the epoch. */
  readonly until: number | undefined;
  /** What the agent has. */
  readonly has: OpenAction | undefined;
  /** Whether a process polls for the machine, which reads the lists and begins what is due. */
  readonly isPolled: boolean;
  readonly times: TimeContext;
}

type Requested = Result<Upgrade & { readonly isAsSeen: boolean }, Problem[]>;

/** What is selected for a target, and what holds it, as far as `machine.db` tells. */
export function upgradeOf(named: string, world: World): Result<Upgrade, Problem[]> {
  return inFile(world, 'read', (file) => upgradeIn(file, named, world));
}

/**
 * Requests exactly the replacement that is decided or held now, at once (D76). If it is another one than the person `seen`, nothing
 * is changed, and `isAsSeen` is false.
 */
export function requestUpgrade(wish: UpgradeWish, world: World): Requested {
  const faults = faultsOf(wish);
  if (faults.length > 0) return { ok: false, error: faults };
  return inFile(world, 'write', (file): Requested => {
    const upgrade = upgradeIn(file, wish.named, world);
    if (!upgrade.ok) return upgrade;
    const { row, decision } = upgrade.value;
    const asked = requestIn(upgrade.value, wish, world.clock());
    const found = asLastDecided(asked, file, world);
    if (!found.ok) return found;
    const request = found.value;
    const isAsSeen = isSeen(wish, request);
    if (!isAsSeen) return { ok: true, value: { ...upgrade.value, isAsSeen } };
    machineStateIn(file).requestUpgrade(targetOf(row), request);
    const requested = decision && decide({ ...decision.input, upgradeRequest: request });
    const until = request.requestedAt + UPGRADE_REQUEST_MS;
    return { ok: true, value: { ...upgrade.value, request, until, decision: requested, isAsSeen } };
  });
}

function isSeen({ seen = {} }: UpgradeWish, { from, to }: UpgradeRequest): boolean {
  const [deployed, selected] = [from === undefined ? 'none' : describeAddress(from), to].map(
    describeAddress,
  );
  return (seen.deployed ?? deployed) === deployed && (seen.to ?? selected) === selected;
}

function upgradeIn(file: MachineFile, named: string, world: World): Result<Upgrade, Problem[]> {
  const state = machineStateIn(file);
  const found = rowNamed(named, state.decisions());
  if (!found.ok) return found;
  const row = found.value;
  const open = openActionOf(row, state.memory());
  return {
    ok: true,
    value: {
      row,
      decision: decisionOn(row, file, clockReading(world)),
      request: undefined,
      until: undefined,
      has: open?.state === 'delivered' ? open : undefined,
      isPolled: isPolled(file.path),
      times: timesOn(state, world)(row.moduleId),
    },
  };
}

function decisionOn(
  row: LoggedDecision,
  file: MachineFile,
  reading: ClockReading,
): Decision | undefined {
  const input = currentInput(targetOf(row), machineStateIn(file), savedListsIn(file), reading);
  if (!input.ok) return undefined;
  const { list } = input.value;
  const isKnown = !('error' in list) || list.error.kind !== 'not-saved';
  const known = isKnown ? input.value : asDecided(input.value, row);
  // A restart that an operator requested is another matter.
  return known && decide({ ...known, restartRequest: undefined });
}

/** A list that is not saved: what holds the release that was selected from it does not depend on the others. */
function asDecided(input: DecideInput, { target }: LoggedDecision): DecideInput | undefined {
  const version = parseVersion(target);
  if (!version.ok) return undefined;
  const deployed = deployedVersion(input.deployed);
  const texts = new Set([version.value.text, ...(deployed ? [deployed.text] : [])]);
  const index = indexReleases(Array.from(texts, (text) => ({ version: text })));
  return { ...input, list: { index }, requirement: { kind: 'patch', version: version.value } };
}

/** Why the list was not read, and how old the saved one is that was used; undefined if it was read, or the decision says so itself. */
export function staleWords(decision: Decision): string | undefined {
  const { list, eligibility } = decision.input;
  if ('error' in list || !list.stale) return undefined;
  if (decision.kind === 'stuck' && decision.code === 'list-stale') return undefined;
  const { message, confirmedAt } = list.stale;
  const ago = describeDuration(Math.max(0, eligibility.now - confirmedAt));
  return `${message}; the saved list was confirmed ${ago} ago`;
}

/** The request for what is decided, or why it is refused. */
function requestIn(
  { row, decision, times }: Upgrade,
  { despite, reason, by }: UpgradeWish,
  requestedAt: number,
): Result<UpgradeRequest, Problem[]> {
  const label = labelFor(row);
  if (!decision) {
    const because = `what would replace it is not known: ${row.reason}`;
    return refusal(`${label} cannot be upgraded: ${because}`, { kind: 'not-recorded' });
  }
  const replacement = replacementOf(decision);
  if (!replacement || replacement.direction === 'rollback') {
    const kind = decision.kind === 'stuck' ? kindOf(decision) : 'not-recorded';
    const because = [describeDecision(decision), staleWords(decision) ?? []].flat().join('; ');
    return refusal(`${label} has nothing to upgrade: ${because}`, { kind });
  }
  const held = heldProblem(row, decision, times);
  if (held) return held;
  const vetoes = decision.input.timing.vetoes ?? [];
  const named = namedVetoes(vetoes, despite, nowCommand(row));
  if (!named.ok) return named;
  return {
    ok: true,
    value: {
      requestedAt,
      by: by.trim(),
      because: reason?.trim(),
      from: deployedText(decision.input.deployed),
      to: replacementText(replacement),
      despite: named.value,
    },
  };
}

/** What no request passes: the hold of an operator, the policy, and a field that is not known (D75, D18, D240). */
function heldProblem(
  row: LoggedDecision,
  decision: Decision,
  times: TimeContext,
): Result<never, Problem[]> | undefined {
  const against = (decision.kind === 'hold' ? decision.because : []).filter(
    (hold) => hold.reason === 'operator-hold' || !waitsForMoment(hold),
  );
  if (against.length === 0) return undefined;
  const because = against.map((hold) => readable(holdWords(hold), times)).join('; ');
  const ends = against.flatMap((hold) => {
    if (hold.reason !== 'operator-hold') return [];
    const kind = hold.of === 'machine' ? hold.of : row.kind;
    return commandFor({ of: { kind, name: row.name } });
  });
  const hint = ends.length > 0 ? `to end that: ${ends.join(', ')}` : undefined;
  return refusal(`${labelFor(row)} is not upgraded: ${because}`, { kind: 'held', hint });
}

/** The command that requests the replacement of a target at once. */
export function nowCommand({ name }: Pick<LoggedDecision, 'name'>): string {
  return `modreg upgrade ${excerpt(name)} --now`;
}

function kindOf({ code }: Extract<Decision, { kind: 'stuck' }>): ErrorKind {
  return code === 'no-list' ? 'registry-unreachable' : code;
}

function refusal(
  message: string,
  about: { readonly kind: ErrorKind; readonly hint?: string | undefined },
): Result<never, Problem[]> {
  return {
    ok: false,
    error: [{ severity: 'error', message: `${message}; nothing was changed`, ...about }],
  };
}
