import { describeDecision, type Decision, type Result } from '../../core/index.ts';
import { replacementOf, wordFor, type RestartRequest } from '../../core/decision/decision.ts';
import {
  decisionWords,
  describeAddress,
  describeTarget,
  reportedText,
} from '../../core/explanation/decision-words.ts';
import { changeWords, summarizeDecision, untilOf } from '../../core/explanation/plan-words.ts';
import type { OpenAction } from '../../core/plan/committed-action.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { keyOf } from '../../core/plan/target.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readable, say, type Said } from '../../core/text/time-words.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { currentInput } from '../../host/restored-input.ts';
import { jsonLine } from '../base/answer-json.ts';
import { changeAsJson, heldAsJson } from '../plan/plan-json.ts';
import type { ErrorKind } from '../../base/codes.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { intendedRestart, type IntendedRestart } from './intended-restart.ts';
import { labelFor, rowNamed, targetOf } from '../../host/machine-row.ts';
import { usingFile } from '../../host/open-state.ts';
import { timesOn } from '../../host/time-zones.ts';

export interface RestartOptions {
  readonly json?: true;
  readonly now?: true;
  readonly cancel?: true;
}

/**
 * `modreg restart <module>`: requests a restart of what is deployed (D41). What the command prints is what the planner
 * decides with the request.
 */
export function restartCommand(named: string, options: RestartOptions, world: World): Outcome {
  if (options.now && options.cancel) {
    const message =
      '--now requests a restart, and --cancel withdraws the request: pass one of them';
    return failed({ severity: 'error', kind: 'usage', message });
  }
  const done = usingFile(world, 'write', (file): Outcome => {
    const state = machineStateIn(file);
    if (options.cancel) {
      const row = rowNamed(named, state.decisions());
      return row.ok ? cancelled(row.value, state, options) : failed(row.error);
    }
    const restart = prepareRestart(named, { isImmediate: options.now ?? false }, { file, world });
    return restart.ok ? requested(restart.value, options) : failed(restart.error);
  });
  return done.ok ? done.value : failed(done.error);
}

function requested(restart: PreparedRestart, { json }: RestartOptions): Outcome {
  restart.request();
  if (json) return { answer: [restart.json], notes: [], problems: [] };
  const notes = [`note: modreg restart ${restart.row.name} --cancel withdraws this`];
  return { answer: restart.lines, notes, problems: [] };
}

/** A restart of what is deployed, before it is requested. */
export interface PreparedRestart {
  readonly row: LoggedDecision;
  /** The deployed version. */
  readonly deployed: string;
  /** What the request does, for a person. */
  readonly lines: readonly string[];
  /** The same as `modreg/restart@1`. */
  readonly json: string;
  /** Requests the restart. */
  readonly request: () => void;
}

/** What a request for a restart does, or why the target cannot be restarted (D41). Nothing is written. */
export function prepareRestart(
  named: string,
  { isImmediate }: Pick<RestartRequest, 'isImmediate'>,
  { file, world }: { readonly file: MachineFile; readonly world: World },
): Result<PreparedRestart, Problem> {
  const state = machineStateIn(file);
  const found = rowNamed(named, state.decisions());
  if (!found.ok) return found;
  const row = found.value;
  const request = { requestedAt: world.clock(), isImmediate };
  const restart = restartOf(row, file, request);
  if (!restart.ok) return restart;
  const open = state.memory().open.find(({ action }) => keyOf(action.target) === keyOf(row));
  const has = open?.state === 'delivered' ? open : undefined;
  const times = timesOn(state, world)(row.moduleId);
  const deployed = reportedText(state.memory().of(targetOf(row)).deployed) ?? '';
  const lines = linesOf(row, restart.value, { deployed, has });
  return {
    ok: true,
    value: {
      row,
      deployed,
      lines: lines.map((line) => readable(line, times)),
      json: asJson(row, restart.value, { request, has }),
      request: () => state.requestRestart(targetOf(row), request),
    },
  };
}

/** A restart whose consequences are known, or why they are not. */
type Restart = IntendedRestart | { readonly unknown: string };

/** What a request does, or why the target cannot be restarted. */
function restartOf(
  row: LoggedDecision,
  file: MachineFile,
  request: RestartRequest,
): Result<Restart, Problem> {
  const state = machineStateIn(file);
  const target = targetOf(row);
  const { deployed } = state.memory().of(target);
  const isAddress = deployed.kind === 'url' && target.kind === 'subsystem';
  if (row.decision === 'local' || row.decision === 'disabled') {
    return refusal(row, { kind: 'usage', because: row.reason });
  }
  if (deployed.kind === 'none') {
    return refusal(row, { kind: 'deployed-unknown', because: 'nothing is deployed' });
  }
  if (deployed.kind !== 'version' && !isAddress) {
    const found = reportedText(deployed) ?? 'not known';
    return refusal(row, { kind: 'deployed-unknown', because: `the deployed version is ${found}` });
  }
  const input = currentInput(target, state, savedListsIn(file), request.requestedAt);
  const intended = input.ok ? intendedRestart(input.value, request) : undefined;
  if (intended) {
    const { decision } = intended;
    if (decision.kind !== 'stuck') return { ok: true, value: intended };
    const kind = decision.code === 'no-list' ? 'registry-unreachable' : decision.code;
    return refusal(row, { kind, because: describeDecision(decision) });
  }
  if (row.decision === 'stuck') return refusal(row, { kind: 'no-match', because: row.reason });
  const unknown = input.ok ? 'its release list is not saved in machine.db' : input.error;
  return { ok: true, value: { unknown } };
}

function refusal(
  row: LoggedDecision,
  { kind, because }: { readonly kind: ErrorKind; readonly because: string },
): Result<never, Problem> {
  const message = `${labelFor(row)} cannot be restarted: ${because}; nothing was changed`;
  return { ok: false, error: { severity: 'error', kind, message } };
}

function linesOf(
  row: LoggedDecision,
  restart: Restart,
  { deployed, has }: { readonly deployed: string; readonly has: OpenAction | undefined },
): Said[] {
  const label = labelFor(row);
  // What was delivered comes first, whatever is decided (D41).
  if (has) return [`${label} restarts ${changeOf(has)}`];
  if ('unknown' in restart) {
    const head = `${label} restarts ${deployed} once that is decided`;
    return [head, `  what holds it is not known here: ${restart.unknown}`];
  }
  const { decision, afterwards, next, hasList } = restart;
  return [
    `${label} restarts ${whenOf(decision, deployed)}`,
    say`  because  ${decisionWords(decision)}`,
    ...(afterwards && hasList
      ? [say`  then     ${summarizeDecision(afterwards)}: ${decisionWords(afterwards)}`]
      : []),
    ...(next && (hasList || !afterwards) ? [say`  next     ${changeWords(next)}`] : []),
    ...(hasList
      ? []
      : ['  its release list is not known here; a replacement that is due comes first']),
  ];
}

/** `1.2.3 at the next decision`, `with the upgrade to 1.2.9 …`, `1.2.3 once nothing holds it`. */
function whenOf(decision: Decision, deployed: string): string {
  const replacement = replacementOf(decision);
  const isRestart = !replacement || replacement.direction === 'restart';
  const change = isRestart
    ? deployed
    : `with the ${replacement.direction} to ${describeTarget(replacement)}`;
  if (decision.kind === 'replace') return `${change} at the next decision`;
  return isRestart ? `${deployed} once nothing holds it` : 'once nothing holds it';
}

function changeOf({ action: { from, to, direction } }: OpenAction): string {
  return direction === 'restart'
    ? `${describeAddress(to)}: the agent has that restart already`
    : `with the ${direction} ${from ?? 'none'} → ${describeAddress(to)}, which the agent has`;
}

function asJson(
  { name, moduleId }: LoggedDecision,
  restart: Restart,
  { request, has }: { readonly request: RestartRequest; readonly has: OpenAction | undefined },
): string {
  const known = 'unknown' in restart ? undefined : restart;
  const { decision, afterwards, next, hasList } = known ?? {};
  const until = decision && untilOf(decision);
  return jsonLine({
    schema: 'modreg/restart@1',
    name,
    module_id: moduleId,
    requested_at: formatTime(request.requestedAt),
    immediate: request.isImmediate,
    decision: decision ? wordFor(decision) : null,
    direction: (decision && replacementOf(decision)?.direction) ?? null,
    reason: decision ? describeDecision(decision) : null,
    held_by: decision?.kind === 'hold' ? decision.because.map(heldAsJson) : [],
    until: until === undefined ? null : formatTime(until),
    afterwards: afterwards
      ? { decision: wordFor(afterwards), reason: describeDecision(afterwards) }
      : null,
    next_change: next ? changeAsJson(next) : null,
    list_known: hasList ?? false,
    first: has?.action.id ?? null,
  });
}

/** `modreg restart <module> --cancel`: a restart that the agent has is finished. */
function cancelled(row: LoggedDecision, state: MachineState, { json }: RestartOptions): Outcome {
  const label = labelFor(row);
  const { restartRequest } = state.memory().of(targetOf(row));
  if (!state.cancelRestart(targetOf(row))) {
    const isOpen = restartRequest !== undefined && restartRequest.failure === undefined;
    const message = isOpen
      ? `the agent has the restart of ${label} already, so it is finished; nothing was changed`
      : `no restart of ${label} is requested`;
    return failed({ severity: 'error', kind: isOpen ? 'usage' : 'not-recorded', message });
  }
  const { name, moduleId } = row;
  const answer = json
    ? jsonLine({ schema: 'modreg/restart-cancel@1', name, module_id: moduleId })
    : `${label} is not restarted: the request is withdrawn`;
  return { answer: [answer], notes: [], problems: [] };
}
