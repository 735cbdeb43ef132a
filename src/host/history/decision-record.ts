import {
  decide,
  indexReleases,
  type ModuleId,
  type ReleaseRecord,
  type Result,
} from '../../core/index.ts';
import type { LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { moduleOf } from '../../core/plan/target.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { openRegistries } from '../../registries/open-registries.ts';
import { parseRegistryAddress } from '../../registry/address.ts';
import { originOf, type ListOrigin } from '../../registry/list-origin.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { SavedListsError } from '../../registry/saved-lists.ts';
import type { RecordedDecision } from '../../store/decision-history.ts';
import type { MachineFile } from '../../store/index.ts';
import { machineStateIn } from '../../store/machine-state.ts';
import { savedListsIn } from '../../store/saved-lists-table.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor, rowNamed, targetOf } from '../machine-row.ts';
import { inFile } from '../open-state.ts';
import { NO_RELEASES, restoredInput } from '../restored-input.ts';
import { differences, outcomeOf } from './outcome.ts';
import { inForce, noDecision, rowsOf } from './past-decisions.ts';
import type { DecisionRecord } from './record-document.ts';
import { secretMarkers } from './secret-markers.ts';

/** A decision to record, and its list if machine.db has it. */
interface Found {
  readonly row: LoggedDecision;
  readonly since: number;
  readonly decision: RecordedDecision;
  readonly saved: readonly ReleaseRecord[] | undefined;
}

/**
 * The complete input of the last decision about a module, or of the one in force at `at`, without secrets. `modreg` is
 * the version that records it.
 */
export async function decisionRecord(
  named: string,
  { at, modreg }: { readonly at: number | undefined; readonly modreg: string },
  world: World,
): Promise<Result<DecisionRecord, Problem[]>> {
  const found = inFile(world, 'read', (file) => foundIn(file, named, at));
  if (!found.ok) return found;
  const recorded = await recordOf(found.value, modreg);
  return recorded.ok
    ? recorded
    : { ok: false, error: [notRecordable(found.value, recorded.error)] };
}

function foundIn(
  file: MachineFile,
  named: string,
  at: number | undefined,
): Result<Found, Problem[]> {
  const state = machineStateIn(file);
  const row = rowNamed(named, rowsOf(state));
  if (!row.ok) return row;
  const history = state.history(row.value);
  const past = at === undefined ? history.at(-1) : inForce(history, at);
  if (!past) return { ok: false, error: [noDecision(row.value, history, at)] };
  // The facts may have changed after `at`.
  const { first, last, since } = past;
  const isLast = at === undefined || nowIn(last) <= at;
  const decision = isLast ? last : first;
  const saved = savedRecords(file, moduleOf(targetOf(decision)), decision.list);
  return saved.ok
    ? { ok: true, value: { row: row.value, since, decision, saved: saved.value } }
    : saved;
}

/** The time of the decision with these facts; if they are damaged, a time that no decision has. */
function nowIn({ facts }: RecordedDecision): number {
  const { eligibility } = Object(facts) as { eligibility?: { now?: unknown } };
  return typeof eligibility?.now === 'number' ? eligibility.now : Infinity;
}

/** The saved list of this origin; undefined if another one is saved, or none. */
function savedRecords(
  file: MachineFile,
  moduleId: ModuleId,
  origin: ListOrigin | undefined,
): Result<readonly ReleaseRecord[] | undefined, Problem[]> {
  try {
    const list = origin && savedListsIn(file).read(origin.address, moduleId);
    const isSame = list?.digest === origin?.digest;
    return { ok: true, value: isSame && list ? [...list.records] : undefined };
  } catch (error) {
    if (!(error instanceof SavedListsError)) throw error;
    const { kind, message } = error;
    return { ok: false, error: [{ severity: 'error', kind, message }] };
  }
}

/** The record without secrets, or what is missing. */
async function recordOf(
  { row, since, decision, saved }: Found,
  modreg: string,
): Promise<Result<DecisionRecord, string>> {
  const { facts, list } = decision;
  const alone = restoredInput(facts, NO_RELEASES);
  if (!alone.ok) return alone;
  const usesList = decide(alone.value).resolution !== undefined;
  const found = usesList ? (saved ?? (await localRecords(list, moduleOf(targetOf(decision))))) : [];
  if (!found) return { ok: false, error: missingList(list) };
  const input = restoredInput(facts, indexReleases(found));
  if (!input.ok) return input;
  const { decision: word, target, reason } = decision;
  const parts = { outcome: { decision: word, target, reason }, facts, list, records: found };
  // The copy has the same shape.
  const marked = secretMarkers()(parts) as typeof parts;
  const again = restoredInput(marked.facts, indexReleases(marked.records));
  const isReproduced = differences(parts.outcome, outcomeOf(input.value)).length === 0;
  // A reason is cut at some length, so a marker in it may move what is cut. That is no difference.
  const outcome = isReproduced && again.ok ? outcomeOf(again.value) : marked.outcome;
  const { kind, name, moduleId } = row;
  const { platform } = input.value.eligibility;
  const own = { modreg, kind, name, moduleId, since, platform };
  return { ok: true, value: { ...own, ...marked, outcome } };
}

/** The list of a folder or a `.db` file, if it has not changed since the decision. */
async function localRecords(
  origin: ListOrigin | undefined,
  moduleId: ModuleId,
): Promise<readonly ReleaseRecord[] | undefined> {
  const address = origin && parseRegistryAddress(origin.address);
  if (!address?.ok || 'url' in address.value) return undefined;
  const registry = openRegistries().open({ registry: origin?.address });
  if (!registry.ok) return undefined;
  try {
    const { records } = await registry.value.read(moduleId);
    return originOf(records)?.digest === origin?.digest ? [...records] : undefined;
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

function missingList(list: ListOrigin | undefined): string {
  if (!list) return 'its release list: where it was from is not known';
  return `its release list with the digest ${list.digest}: another one, or none, is saved now`;
}

function notRecordable({ row, since }: Found, what: string): Problem {
  const message = `the decision about ${labelFor(row)} of ${formatTime(since)} cannot be recorded, because this is missing: ${what}`;
  const hint = 'nothing was written; modreg why shows what is known of it';
  return { severity: 'error', kind: 'not-recorded', message, hint };
}
