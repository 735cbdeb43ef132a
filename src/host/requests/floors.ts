import { decide, parseVersion, type Decision, type Result } from '../../core/index.ts';
import { deployedVersion } from '../../core/decision/deployed.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import type { SkippedFloor } from '../../core/releases/eligibility-policy.ts';
import { firstFew } from '../../core/text/few.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { compareVersions } from '../../core/version/version-order.ts';
import type { Version } from '../../core/version/version.ts';
import { parseProblem, usage, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import { clockReading } from '../clock-reading.ts';
import { labelFor, rowNamed, targetOf } from '../machine-row.ts';
import { inFile } from '../open-state.ts';
import { currentInput } from '../restored-input.ts';
import { timesOn } from '../time-zones.ts';
import { faultsIn, LONGEST_NAME, LONGEST_REASON } from './hold-wish.ts';

/** How many floors are named. */
const NAMED = 5;

/** A floor that an operator wants a module to pass. */
export interface SkipWish {
  /** The name of an entry or a subsystem, or a module_id. */
  readonly named: string;
  readonly version: string;
  readonly reason: string | undefined;
  /** Who asks. */
  readonly by: string;
}

/** A skipped floor, or one that counts again, and what the planner now decides. */
export interface FloorChange {
  readonly row: LoggedDecision;
  readonly version: string;
  /** Undefined if the floor counts again. */
  readonly skip: SkippedFloor | undefined;
  /** The decision, or why it is not known here. */
  readonly decision: Decision | string;
  readonly times: TimeContext;
}

/** Lets a module pass a floor without running it (D92). */
export function skipFloor(wish: SkipWish, world: World): Result<FloorChange, Problem[]> {
  const { named, version: text, reason, by } = wish;
  const version = parseVersion(text);
  const faults = [
    ...(version.ok ? [] : [parseProblem(version.error)]),
    ...(reason === undefined ? [] : faultsIn('the reason', reason, LONGEST_REASON)),
    ...faultsIn('the name of the operator', by, LONGEST_NAME),
  ];
  if (!version.ok || faults.length > 0) return { ok: false, error: faults };
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const row = rowNamed(named, state.decisions());
    if (!row.ok) return row;
    const misfit = noFloorToPass(version.value, row.value, file, world);
    if (misfit) return { ok: false, error: [misfit] };
    const words = { by: by.trim(), because: reason?.trim() };
    const skip = { version: text, ...words, at: clockReading(world).now };
    state.skipFloor(targetOf(row.value), skip);
    return { ok: true, value: changeOf(row.value, { version: text, skip }, file, world) };
  });
}

/** Lets a skipped floor count again. */
export function unskipFloor(
  [named, version]: readonly [named: string, version: string],
  world: World,
): Result<FloorChange, Problem[]> {
  return inFile(world, 'write', (file) => {
    const state = machineStateIn(file);
    const row = rowNamed(named, state.decisions());
    if (!row.ok) return row;
    const target = targetOf(row.value);
    const skipped = state.memory().of(target).skippedFloors ?? [];
    if (!state.unskipFloor(target, version)) {
      const message = `floor ${version} of ${labelFor(row.value)} is not skipped; nothing was changed`;
      const others = firstFew(
        skipped.map((one) => one.version),
        NAMED,
      ).join(', ');
      const hint = others === '' ? 'no floor of it is skipped' : `skipped are ${others}`;
      return { ok: false, error: [{ severity: 'error', kind: 'not-recorded', message, hint }] };
    }
    return { ok: true, value: changeOf(row.value, { version, skip: undefined }, file, world) };
  });
}

/** Why the version is no floor that the module still has to pass. If no list is saved here, that is not known. */
function noFloorToPass(
  version: Version,
  row: LoggedDecision,
  file: MachineFile,
  world: World,
): Problem | undefined {
  const state = machineStateIn(file);
  const input = currentInput(targetOf(row), state, savedListsIn(file), clockReading(world));
  if (!input.ok || 'error' in input.value.list) return undefined;
  const deployed = deployedVersion(input.value.deployed);
  const floors = input.value.list.index
    .floors()
    .map((one) => one.version)
    .filter((one) => !deployed || compareVersions(deployed, one) < 0);
  if (floors.some(({ text }) => text === version.text)) return undefined;
  const names = firstFew(
    floors.map(({ text }) => text),
    NAMED,
  ).join(', ');
  const hint = names === '' ? 'it has no floor to pass' : `its floors are ${names}`;
  const message = `${version.text} is no floor that ${labelFor(row)} has to pass; nothing was changed`;
  return usage(message, hint);
}

function changeOf(
  row: LoggedDecision,
  change: Pick<FloorChange, 'version' | 'skip'>,
  file: MachineFile,
  world: World,
): FloorChange {
  const state = machineStateIn(file);
  const input = currentInput(targetOf(row), state, savedListsIn(file), clockReading(world));
  const decision = decisionOn(input);
  return { row, ...change, decision, times: timesOn(state, world)(row.moduleId) };
}

function decisionOn(input: ReturnType<typeof currentInput>): Decision | string {
  if (!input.ok) return input.error;
  const { list } = input.value;
  const isUnknown = 'error' in list && list.error.kind === 'not-saved';
  return isUnknown ? list.error.message : decide(input.value);
}
