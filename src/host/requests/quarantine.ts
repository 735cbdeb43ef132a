import {
  decide,
  parseVersion,
  type Decision,
  type ModuleId,
  type Result,
} from '../../core/index.ts';
import type { ClockReading } from '../../core/decision/operator-hold.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { QuarantineEntry } from '../../core/plan/machine-memory.ts';
import type { Quarantined } from '../../core/releases/eligibility-policy.ts';
import { refusedBranch, termInForce } from '../../core/releases/quarantine.ts';
import { isInBranch } from '../../core/version/constraint.ts';
import { firstFew } from '../../core/text/few.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn, type MachineState } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { usage, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { clockReading } from '../clock-reading.ts';
import { targetOf, versionOfModule } from '../machine-row.ts';
import { inFile } from '../open-state.ts';
import { currentInput } from '../restored-input.ts';
import { timesOn } from '../time-zones.ts';

/** How many modules are named. */
const MODULES_NAMED = 10;
/** How many versions are named. */
const VERSIONS_NAMED = 5;
/** As of a rollout: the reason is in each decision that the quarantine leads to. */
const LONGEST_REASON = 500;

/** The versions that this machine refuses. */
export interface Quarantine {
  readonly entries: readonly QuarantineEntry[];
  /** How times are shown, by module_id. */
  readonly times: (moduleId: string) => TimeContext;
}

/** The versions that failed on this machine, or that an operator refuses. */
export function quarantineOn(world: World): Result<Quarantine, Problem[]> {
  return inFile(world, 'read', (file) => {
    const state = machineStateIn(file);
    const { quarantine: entries } = state.memory();
    return { ok: true, value: { entries, times: timesOn(state, world) } };
  });
}

/** A version that an operator refuses. */
export interface RefusedVersion {
  /** The name of an entry, or a module_id. */
  readonly module: string;
  readonly version: string;
  readonly reason: string | undefined;
  /** How long it is refused, in milliseconds; undefined if until it is lifted. */
  readonly termMs: number | undefined;
}

/** A new entry of the quarantine, and what follows from it. */
export interface Refusal {
  readonly entry: QuarantineEntry;
  readonly concerned: readonly Concerned[];
  /** Whether no list of the module on this machine has the version: it may be a typing mistake. */
  readonly isUnlisted: boolean;
  readonly times: TimeContext;
}

/** A module entry or subsystem that the quarantine concerns, and what the planner now decides about it. */
interface Concerned {
  readonly row: LoggedDecision;
  /** The decision, or why it is not known here. */
  readonly decision: Decision | string;
}

/** Refuses a version, or all of a branch (D95), as if it had failed on this machine. If it is deployed, the poller rolls it back (D13). */
export function refuseVersion(
  { module, version: text, termMs, ...given }: RefusedVersion,
  world: World,
): Result<Refusal, Problem[]> {
  const reason = given.reason?.trim() || 'quarantined by an operator';
  if (reason.length > LONGEST_REASON) {
    const message = `the reason has ${reason.length} characters, expected at most ${LONGEST_REASON}; nothing was changed`;
    return { ok: false, error: [{ severity: 'error', kind: 'out-of-range', message }] };
  }
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const subject = versionOfModule([module, text], state);
    if (!subject.ok) return subject;
    const [moduleId, version] = subject.value;
    const unknown = unknownModule(moduleId, state);
    if (unknown) return { ok: false, error: [unknown] };
    const reading = clockReading(world);
    const { now } = reading;
    const until = termMs === undefined ? undefined : now + termMs;
    const entry = { moduleId, version, since: now, until, reason };
    const rollback = state.quarantine(entry);
    if (rollback) return { ok: false, error: [rolledBackAlready(rollback)] };
    const concerned = concernedBy(moduleId, file, reading);
    const times = timesOn(state, world)(moduleId);
    const isUnlisted = isInNoList(version, concerned);
    return { ok: true, value: { entry, concerned, isUnlisted, times } };
  });
}

function rolledBackAlready({ moduleId, version }: QuarantineEntry): Problem {
  const message = `${moduleId} ${version} is refused already, by a rollback on this machine; nothing was changed`;
  const hint = `modreg quarantine lift ${moduleId} ${version} ends the rollback for all its versions`;
  return usage(message, hint);
}

/** The error if no module or subsystem that the poller decides on has this id. Before its first round, no id is known (T216). */
function unknownModule(moduleId: ModuleId, state: MachineState): Problem | undefined {
  const known = [...new Set(state.decisions().map((row) => row.moduleId))];
  if (known.length === 0 || known.includes(moduleId)) return undefined;
  const message = `no module of this machine has the id ${moduleId}; nothing was changed`;
  const hint = `this machine has ${firstFew(known, MODULES_NAMED).join(', ')}`;
  const suggestion = nearestWord(moduleId, known);
  return { severity: 'error', kind: 'unknown-reference', message, suggestion, hint };
}

function isInNoList(version: string, concerned: readonly Concerned[]): boolean {
  const [parsed, branch] = [parseVersion(version), refusedBranch(version)];
  const lists = concerned.flatMap(({ decision }) =>
    typeof decision === 'string' || 'error' in decision.input.list ? [] : [decision.input.list],
  );
  if (lists.length === 0) return false;
  if (!branch) return parsed.ok && !lists.some(({ index }) => index.find(parsed.value));
  return !lists.some(({ index }) =>
    Array.from(index.releases()).some((one) => isInBranch(branch, one.version)),
  );
}

function concernedBy(moduleId: ModuleId, file: MachineFile, reading: ClockReading): Concerned[] {
  const state = machineStateIn(file);
  const rows = state.decisions().filter((row) => row.moduleId === moduleId);
  return rows.map((row) => {
    const input = currentInput(targetOf(row), state, savedListsIn(file), reading);
    if (!input.ok) return { row, decision: input.error };
    const { list } = input.value;
    const isUnknown = 'error' in list && list.error.kind === 'not-saved';
    return { row, decision: isUnknown ? list.error.message : decide(input.value) };
  });
}

/** A version that was lifted, and those that were refused with it by one rollback. */
export interface Lifted {
  readonly moduleId: ModuleId;
  readonly version: string;
  /** The rollback, or the quarantine of `1.3.*` or `1.*`, that still refuses it; undefined if nothing does. */
  readonly stillRefusedBy: Quarantined | undefined;
  /** The versions refused with it that may be selected again, and those that another rollback refuses. */
  readonly freed: readonly string[];
  readonly kept: readonly string[];
}

/** Lets a version be selected again. */
export function liftVersion(
  named: readonly [module: string, version: string],
  world: World,
): Result<Lifted, Problem[]> {
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const subject = versionOfModule(named, state);
    if (!subject.ok) return subject;
    const [moduleId, version] = subject.value;
    const { quarantine } = state.memory();
    if (!state.lift(moduleId, version)) {
      return { ok: false, error: [notInQuarantine(moduleId, version, quarantine)] };
    }
    const lifted = quarantine.find((one) => one.moduleId === moduleId && one.version === version);
    const left = state.memory().quarantine.filter((entry) => entry.moduleId === moduleId);
    const others = [...(lifted?.rolledBack?.refused ?? [])].filter((one) => one !== version);
    const termOf = (one: string): Quarantined | undefined => termOn(one, left, world.clock());
    const kept = others.filter((one) => termOf(one));
    const freed = others.filter((one) => !termOf(one));
    return { ok: true, value: { moduleId, version, stillRefusedBy: termOf(version), freed, kept } };
  });
}

/** What still refuses a version, whatever its files are; undefined if nothing does. */
function termOn(
  text: string,
  quarantine: readonly QuarantineEntry[],
  now: number,
): Quarantined | undefined {
  const version = parseVersion(text);
  return version.ok ? termInForce(version.value, undefined, { quarantine, now }) : undefined;
}

function notInQuarantine(
  id: ModuleId,
  text: string,
  quarantine: readonly QuarantineEntry[],
): Problem {
  const subject = `${id} ${text}`;
  const rollback = quarantine.find(
    (entry) => entry.moduleId === id && entry.rolledBack?.refused?.has(text) === true,
  );
  const about = { severity: 'error', kind: 'unknown-version' } as const;
  if (rollback) {
    const message = `${subject} is refused by the rollback from ${rollback.version}`;
    const hint = `modreg quarantine lift ${id} ${rollback.version} ends it for all its versions`;
    return { ...about, message, hint };
  }
  const single = parseVersion(text);
  const broader = quarantine.find(
    ({ moduleId, branch }) =>
      moduleId === id && branch && single.ok && isInBranch(branch, single.value),
  );
  if (broader) {
    const message = `${subject} is refused by the quarantine of ${broader.version}`;
    const hint = `modreg quarantine lift ${id} ${broader.version} ends it for all its versions`;
    return { ...about, message, hint };
  }
  const others = quarantine
    .slice(0, VERSIONS_NAMED)
    .map(({ moduleId, version }) => `${moduleId} ${version}`);
  const hint =
    others.length === 0 ? 'no version is in quarantine' : `in quarantine: ${others.join(', ')}`;
  return { ...about, message: `${subject} is not in quarantine on this machine`, hint };
}
