import { describeDecision, type ActionTarget, type Result } from '../../core/index.ts';
import type { RestartRequest } from '../../core/decision/restart-request.ts';
import type { ClockReading } from '../../core/decision/operator-hold.ts';
import { reportedText } from '../../core/explanation/decision-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { isPolled } from '../../store/claim.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
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
import { intendedRestart, type IntendedRestart } from './intended-restart.ts';
import { hintForUnknown } from './unknown-deployed.ts';

/** A restart of what is deployed, and what the planner makes of it. */
export interface Restart {
  readonly row: LoggedDecision;
  /** The deployed version. */
  readonly deployed: string;
  readonly request: RestartRequest;
  /** What the request does, or why that is not known. */
  readonly effect: IntendedRestart | { readonly unknown: string };
  /** What was delivered, which comes first (D41). */
  readonly has: OpenAction | undefined;
  /** Whether another restart is requested already. */
  readonly isRequested: boolean;
  /** Whether that one is immediate and this one is not, so that it stays (D376). */
  readonly staysImmediate: boolean;
  /** Whether a process polls for the machine, which begins what is due within a second (D386). */
  readonly isPolled: boolean;
  readonly times: TimeContext;
}

type Wish = Omit<RestartRequest, 'requestedAt'>;

/** What a request for a restart would do, or why the target cannot be restarted (D41). */
export function restartOf(named: string, wish: Wish, world: World): Result<Restart, Problem[]> {
  return inFile(world, 'read', (file) => restartIn(file, named, wish, world));
}

/**
 * Requests a restart of what is deployed (D41). A pending immediate one stays (D376). If that is another version than `seen`, which the person saw, nothing is
 * changed, and `isAsSeen` is false.
 */
export function requestRestart(
  named: string,
  { seen, ...wish }: Wish & { readonly seen?: string | undefined },
  world: World,
): Result<Restart & { readonly isAsSeen: boolean }, Problem[]> {
  return inFile(world, 'write', (file) => {
    const restart = asLastDecided(restartIn(file, named, wish, world), file, world);
    if (!restart.ok) return restart;
    const { row, deployed, request } = restart.value;
    const isAsSeen = seen === undefined || seen === deployed;
    if (isAsSeen) machineStateIn(file).requestRestart(targetOf(row), request);
    return { ok: true, value: { ...restart.value, isAsSeen } };
  });
}

/** Withdraws the request for a restart. One that the agent has is finished. */
export function cancelRestart(named: string, world: World): Result<LoggedDecision, Problem[]> {
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const row = rowNamed(named, state.decisions());
    if (!row.ok) return row;
    const target = targetOf(row.value);
    const { restartRequest } = state.memory().of(target);
    if (state.cancelRestart(target)) return row;
    const label = labelFor(row.value);
    const isOpen = restartRequest !== undefined && restartRequest.failure === undefined;
    const message = isOpen
      ? `the agent has the restart of ${label} already, so it is finished; nothing was changed`
      : `no restart of ${label} is requested`;
    const kind = isOpen ? 'usage' : 'not-recorded';
    return { ok: false, error: [{ severity: 'error', kind, message }] };
  });
}

function restartIn(
  file: MachineFile,
  named: string,
  { isImmediate, requester }: Wish,
  world: World,
): Result<Restart, Problem[]> {
  const state = machineStateIn(file);
  const found = rowNamed(named, state.decisions());
  if (!found.ok) return found;
  const row = found.value;
  const reading = clockReading(world);
  const memory = state.memory();
  const { deployed: reported, restartRequest } = memory.of(targetOf(row));
  const pending = restartRequest?.failure === undefined ? restartRequest?.request : undefined;
  const staysImmediate = pending?.isImmediate === true && !isImmediate;
  const request = staysImmediate ? pending : { requestedAt: reading.now, isImmediate, requester };
  const effect = effectOf(row, file, { request, reading });
  if (!effect.ok) return effect;
  const open = openActionOf(row, memory);
  const has = open?.state === 'delivered' ? open : undefined;
  const deployed = effect.value.isLocal ? 'its program' : (reportedText(reported) ?? '');
  const times = timesOn(state, world)(row.moduleId);
  return {
    ok: true,
    value: {
      row,
      deployed,
      request,
      effect: effect.value.effect,
      has,
      isRequested: pending !== undefined,
      staysImmediate,
      isPolled: isPolled(file.path),
      times,
    },
  };
}

/** What a request does, or why the target cannot be restarted. A local module has no version that has to be known (D344). */
function effectOf(
  row: LoggedDecision,
  file: MachineFile,
  { request, reading }: { readonly request: RestartRequest; readonly reading: ClockReading },
): Result<{ readonly effect: Restart['effect']; readonly isLocal: boolean }, Problem[]> {
  if (row.decision === 'disabled') return refusal(row, { kind: 'usage', because: row.reason });
  const state = machineStateIn(file);
  const target = targetOf(row);
  const input = currentInput(target, state, savedListsIn(file), reading);
  const isLocal = input.ok && input.value.requirement.kind === 'local';
  const why = isLocal ? undefined : whyNothingRuns(target, state);
  if (why !== undefined) return refusal(row, { kind: 'deployed-unknown', ...why });
  const intended = input.ok ? intendedRestart(input.value, request) : undefined;
  if (intended) {
    const { decision } = intended;
    if (decision.kind !== 'stuck') return { ok: true, value: { effect: intended, isLocal } };
    const kind = decision.code === 'no-list' ? 'registry-unreachable' : decision.code;
    return refusal(row, { kind, because: describeDecision(decision) });
  }
  if (row.decision === 'stuck') return refusal(row, { kind: 'no-match', because: row.reason });
  const unknown = input.ok ? 'its release list is not saved in machine.db' : input.error;
  return { ok: true, value: { effect: { unknown }, isLocal } };
}

/** Why it is not known what a restart would start, and what to do; undefined if it is. */
function whyNothingRuns(target: ActionTarget, state: MachineState): Why | undefined {
  const { deployed } = state.memory().of(target);
  const isAddress = deployed.kind === 'url' && target.kind === 'subsystem';
  if (deployed.kind === 'none') return { because: 'nothing is deployed' };
  if (deployed.kind === 'version' || isAddress) return undefined;
  const hint = deployed.kind === 'unknown' ? hintForUnknown(target) : undefined;
  return { because: `the deployed version is ${reportedText(deployed) ?? 'not known'}`, hint };
}

/** Why a target cannot be restarted, and what to do. */
interface Why {
  readonly because: string;
  readonly hint?: string | undefined;
}

function refusal(
  row: LoggedDecision,
  { kind, because, hint }: Why & { readonly kind: ErrorKind },
): Result<never, Problem[]> {
  const message = `${labelFor(row)} cannot be restarted: ${because}; nothing was changed`;
  return { ok: false, error: [{ severity: 'error', kind, message, hint }] };
}
