import { withVersion, writtenVersion, type WrittenVersion } from '../../config/module-version.ts';
import { positionIn } from '../../config/text/position.ts';
import { timeZoneIn, timeZoneOf } from '../../config/time-zone.ts';
import {
  formatConstraint,
  parseConstraint,
  parseVersion,
  type Constraint,
  type Plan,
  type Result,
  type Version,
} from '../../core/index.ts';
import { deployedVersion } from '../../core/decision/deployed.ts';
import { deployedCell, labelOf } from '../../core/explanation/plan-cells.ts';
import { targetText } from '../../core/explanation/plan-words.ts';
import { constraintsFor } from '../../core/version/constraint.ts';
import { quote } from '../../core/text/quote.ts';
import type { TimeContext } from '../../core/text/time-words.ts';
import { parseProblem, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  planFromSaved,
  planSupposing,
  type SavedPlanTerms,
  type Planned,
} from '../plan/machine-plan.ts';
import { readPlanDocuments } from '../plan-documents.ts';
import { outcomeOf, type PlannedOutcome } from '../plan/planned-outcome.ts';
import {
  checkOf,
  fileName,
  readConfig,
  readText,
  saveConfig,
  type ConfigFile,
  type DocumentCheck,
  type SaveOutcome,
} from './config-file.ts';

/** The five version types of a module, and what each would do. */
export interface VersionChoices {
  readonly name: string;
  readonly label: string;
  readonly moduleId: string;
  readonly deployed: string;
  /** The constraint that the machine config has. */
  readonly constraint: string;
  readonly etag: string;
  /** How times are shown. */
  readonly times: TimeContext;
  /** What is planned with that constraint. */
  readonly now: PlannedOutcome;
  readonly choices: readonly VersionChoice[];
}

export interface VersionChoice extends PlannedOutcome {
  readonly type: string;
  readonly constraint: string;
  /** Whether the machine config has it already. */
  readonly isCurrent: boolean;
  /** What `modreg check` finds in the changed document. */
  readonly check: DocumentCheck;
  /** The line that changes: `machine.json:18 "1.2.*" -> "1.*"`. */
  readonly line: string;
}

export interface VersionChange {
  readonly version: string;
  readonly etag: string;
  readonly deployed?: string | undefined;
}

export interface VersionChange {
  readonly version: string;
  readonly etag: string;
  /** What the person saw; undefined if a program asks that did not look. */
  readonly deployed?: string | undefined;
}

/** What has no version that could be changed: a local module, a subsystem, or a name without an entry. */
export interface NoVersion {
  readonly without: 'local' | 'subsystem' | 'entry';
  readonly label: string;
}

/** What each version type would do with a module, and the constraint that a person typed, planned before one is saved (T139). */
export async function versionChoices(
  { name, typed }: { readonly name: string; readonly typed?: string | undefined },
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<VersionChoices, Problem[] | NoVersion>> {
  const entry = await entryNamed(name, path, options, world);
  if (!entry.ok) return entry;
  const constraint = typed === undefined ? undefined : parseConstraint(typed);
  if (constraint?.ok === false) return { ok: false, error: [parseProblem(constraint.error)] };
  return { ok: true, value: choicesOf(entry.value, constraint?.value) };
}

/** Changes the version of a module entry, and nothing else, if the person saw the file with this `etag` (T138). */
export async function changeVersion(
  { name, ...change }: VersionChange & { readonly name: string },
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<VersionOutcome, Problem[] | NoVersion>> {
  const entry = await entryNamed(name, path, options, world);
  return entry.ok ? changed(entry.value, change) : entry;
}

type ModulePlan = Plan['modules'][number];

/** A module entry whose version can be changed. */
interface Entry {
  readonly config: ConfigFile;
  readonly planned: Planned;
  readonly row: ModulePlan;
  readonly written: WrittenVersion;
}

async function entryNamed(
  name: string,
  path: string,
  options: SavedPlanTerms,
  world: World,
): Promise<Result<Entry, Problem[] | NoVersion>> {
  const config = readConfig(path);
  if (!config.ok) return config;
  const planned = await planFromSaved(
    path,
    options,
    world,
    readPlanDocuments(path, options, config.value.file),
  );
  if (!planned.ok) return planned;
  const { plan, documents } = planned.value;
  const row = plan.modules.find((one) => one.name === name);
  const written = writtenVersion(config.value.text, name);
  if (
    row &&
    written &&
    documents.machine.modules.find((one) => one.name === name)?.type === 'registry'
  ) {
    return { ok: true, value: { config: config.value, planned: planned.value, row, written } };
  }
  if (row) return { ok: false, error: { without: 'local', label: labelOf(row) } };
  const isSubsystem = plan.subsystems.some(({ target }) => target.name === name);
  return { ok: false, error: { without: isSubsystem ? 'subsystem' : 'entry', label: name } };
}

function choicesOf(entry: Entry, typed: Constraint | undefined): VersionChoices {
  const { row, config, planned, written } = entry;
  const { name, moduleId, decision } = row;
  const timeZone = timeZoneOf(decision.input.timing) ?? timeZoneIn(planned.documents.policy);
  return {
    name,
    label: labelOf(row),
    moduleId,
    deployed: deployedCell(decision.input.deployed),
    constraint: written.version,
    etag: config.etag,
    times: { now: planned.now, timeZone },
    now: outcomeOf({ kind: 'module', name }, row, planned.plan),
    choices: withTyped(constraintsFor(baseOf(row)), typed).map((constraint) =>
      choiceOf(constraint, entry),
    ),
  };
}

/** The constraint that was typed is first, unless it is one of them. */
function withTyped(types: readonly Constraint[], typed: Constraint | undefined): Constraint[] {
  const text = typed && formatConstraint(typed);
  const isKnown = types.some((one) => formatConstraint(one) === text);
  return typed && !isKnown ? [typed, ...types] : [...types];
}

/** The version whose numbers the types have: the deployed one, else the one to deploy, else the newest. */
function baseOf({ decision, latest }: ModulePlan): Version | undefined {
  const target = parseVersion(targetText(decision) ?? '');
  const selected = target.ok ? target.value : latest;
  return deployedVersion(decision.input.deployed) ?? selected;
}

function choiceOf(type: Constraint, entry: Entry): VersionChoice {
  const { row, config, planned, written } = entry;
  const constraint = formatConstraint(type);
  const read = readText(
    withVersion(config.text, written, constraint),
    config.file,
    planned.documents.policy,
  );
  const plan = read.ok ? planSupposing(planned, { machine: read.value }) : planned.plan;
  const changedRow = plan.modules.find(({ name }) => name === row.name) ?? row;
  return {
    type: type.kind,
    constraint,
    isCurrent: constraint === written.version,
    ...outcomeOf({ kind: 'module', name: row.name }, changedRow, plan),
    check: checkOf(read),
    line: lineOf(config, written, constraint),
  };
}

/** `machine.json:18 "1.2.*" -> "1.*"`. */
function lineOf({ file, text }: ConfigFile, written: WrittenVersion, constraint: string): string {
  const { line } = positionIn(text, written.offset);
  return `${fileName(file.path)}:${line} ${quote(written.version)} -> ${quote(constraint)}`;
}

/** How an attempt to change a version ended. */
export type VersionOutcome = { readonly row: ModulePlan; readonly wanted: string } & (
  | SaveOutcome
  /** Another version runs than the person saw: nothing was changed. */
  | { readonly kind: 'deployed-changed'; readonly running: string }
);

function changed(
  { config, planned, row, written }: Entry,
  { version, etag, deployed }: VersionChange,
): Result<VersionOutcome, Problem[]> {
  const constraint = parseConstraint(version);
  if (!constraint.ok) return { ok: false, error: [parseProblem(constraint.error)] };
  const wanted = formatConstraint(constraint.value);
  const of = { row, wanted };
  if (config.etag !== etag)
    return { ok: true, value: { ...of, kind: 'changed-meanwhile', now: config } };
  const running = deployedCell(row.decision.input.deployed);
  if (deployed !== undefined && deployed !== running) {
    return { ok: true, value: { ...of, kind: 'deployed-changed', running } };
  }
  const to = withVersion(config.text, written, wanted);
  const check = checkOf(readText(to, config.file, planned.documents.policy));
  if (check.errors > 0) return { ok: true, value: { ...of, kind: 'has-errors', check } };
  const saved = saveConfig(config, { to, lines: [lineOf(config, written, wanted)] });
  return saved.ok ? { ok: true, value: { ...of, ...saved.value } } : saved;
}
