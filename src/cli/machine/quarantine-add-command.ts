import {
  decide,
  describeDecision,
  parseVersion,
  type Decision,
  type ModuleId,
} from '../../core/index.ts';
import { wordFor } from '../../core/decision/decision.ts';
import { decisionWords } from '../../core/explanation/decision-words.ts';
import { summarizeDecision, targetText } from '../../core/explanation/plan-words.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { firstFew } from '../../core/text/few.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { describeTime, readable, type TimeContext } from '../../core/text/time-words.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { currentInput } from '../../host/restored-input.ts';
import { jsonLine } from '../base/answer-json.ts';
import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor, targetOf, versionOfModule } from '../../host/machine-row.ts';
import { usingFile } from '../../host/open-state.ts';
import { timesOn } from '../../host/time-zones.ts';

/** How many modules are named. */
const NAMED = 10;
/** As of a rollout: the reason is in each decision that the quarantine leads to. */
const LONGEST_REASON = 500;

export interface QuarantineAddOptions {
  readonly reason?: string;
  readonly for?: string;
  readonly json?: true;
}

/** A module entry or subsystem that the quarantine concerns, and what the planner now decides about it. */
interface Concerned {
  readonly row: LoggedDecision;
  /** The decision, or why it is not known here. */
  readonly decision: Decision | string;
}

/**
 * `modreg quarantine add <module> <version>`: refuses a version, as if it had failed on this machine. If it is deployed, the
 * poller rolls it back (D13). What the command prints is what the planner decides.
 */
export function quarantineAddCommand(
  [named, versionText]: readonly [module: string, version: string],
  options: QuarantineAddOptions,
  world: World,
): Outcome {
  const term = options.for === undefined ? undefined : parseDuration(options.for);
  if (term && !(term.ok && term.value > 0)) {
    const message = `--for: ${term.ok ? 'a quarantine that lasts no time does nothing' : term.error}`;
    return failed({ severity: 'error', kind: 'usage', message });
  }
  const reason = options.reason?.trim() || 'quarantined by an operator';
  if (reason.length > LONGEST_REASON) {
    const message = `the reason has ${reason.length} characters, expected at most ${LONGEST_REASON}; nothing was changed`;
    return failed({ severity: 'error', kind: 'out-of-range', message });
  }
  const done = usingFile(world, 'write', (file): Outcome => {
    const state = machineStateIn(file);
    const subject = versionOfModule([named, versionText], state);
    if (!subject.ok) return failed(...subject.error);
    const [moduleId, version] = subject.value;
    const unknown = unknownModule(moduleId, state);
    if (unknown) return failed(unknown);
    const now = world.clock();
    const until = term && now + term.value;
    const entry = { moduleId, version, since: now, until, reason };
    const rollback = state.quarantine(entry);
    if (rollback) return failed(rolledBackAlready(rollback));
    const concerned = concernedBy(moduleId, file, now);
    const times = timesOn(state, world)(moduleId);
    const answer = options.json ? [asJson(entry, concerned)] : linesOf(entry, concerned, times);
    const lift = `modreg quarantine lift ${moduleId} ${version}`;
    const notes = options.json ? [] : [`note: ${lift} undoes this`];
    return { answer, notes, problems: unlisted(entry, concerned) };
  });
  return done.ok ? done.value : failed(done.error);
}

function rolledBackAlready({ moduleId, version }: QuarantineEntry): Problem {
  const message = `${moduleId} ${version} is refused already, by a rollback on this machine; nothing was changed`;
  const hint = `modreg quarantine lift ${moduleId} ${version} ends the rollback for all its versions`;
  return { severity: 'error', kind: 'usage', message, hint };
}

/** The error if no module or subsystem that the poller decides on has this id. Before its first round, no id is known (T216). */
function unknownModule(moduleId: ModuleId, state: MachineState): Problem | undefined {
  const known = [...new Set(state.decisions().map((row) => row.moduleId))];
  if (known.length === 0 || known.includes(moduleId)) return undefined;
  const message = `no module of this machine has the id ${moduleId}; nothing was changed`;
  const hint = `this machine has ${firstFew(known, NAMED).join(', ')}`;
  const suggestion = nearestWord(moduleId, known);
  return { severity: 'error', kind: 'unknown-reference', message, suggestion, hint };
}

/** A warning if no list of the module on this machine has the version: it may be a typing mistake. */
function unlisted(
  { moduleId, version }: QuarantineEntry,
  concerned: readonly Concerned[],
): Problem[] {
  const parsed = parseVersion(version);
  const lists = concerned.flatMap(({ decision }) =>
    typeof decision === 'string' || 'error' in decision.input.list ? [] : [decision.input.list],
  );
  if (!parsed.ok || lists.length === 0) return [];
  if (lists.some(({ index }) => index.find(parsed.value))) return [];
  const message = `no release list that this machine has read contains ${moduleId} ${version}; it is refused if it is published`;
  return [{ severity: 'warning', kind: 'unknown-reference', message }];
}

function concernedBy(moduleId: ModuleId, file: MachineFile, now: number): Concerned[] {
  const state = machineStateIn(file);
  const rows = state.decisions().filter((row) => row.moduleId === moduleId);
  return rows.map((row) => {
    const input = currentInput(targetOf(row), state, savedListsIn(file), now);
    if (!input.ok) return { row, decision: input.error };
    const { list } = input.value;
    const isUnknown = 'error' in list && list.error.kind === 'not-saved';
    return { row, decision: isUnknown ? list.error.message : decide(input.value) };
  });
}

function linesOf(
  { moduleId, version, until }: QuarantineEntry,
  concerned: readonly Concerned[],
  times: TimeContext,
): string[] {
  const end = until === undefined ? 'an operator lifts it' : describeTime(until, times);
  return [
    `${moduleId} ${version} is refused on this machine until ${end}`,
    ...concerned.map(({ row, decision }) =>
      typeof decision === 'string'
        ? `  ${labelFor(row)}: the next decision is not known here: ${excerpt(decision)}`
        : `  ${labelFor(row)}: ${summarizeDecision(decision)}: ${readable(decisionWords(decision), times)}`,
    ),
  ];
}

function asJson(
  { moduleId, version, until, reason }: QuarantineEntry,
  concerned: readonly Concerned[],
): string {
  return jsonLine({
    schema: 'modreg/quarantine-add@1',
    module_id: moduleId,
    version,
    until: until === undefined ? null : formatTime(until),
    reason,
    decisions: concerned.flatMap(({ row, decision }) =>
      typeof decision === 'string'
        ? []
        : {
            name: row.name,
            decision: wordFor(decision),
            target: targetText(decision) ?? null,
            reason: describeDecision(decision),
          },
    ),
  });
}
