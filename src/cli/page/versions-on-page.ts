import { withVersion, writtenVersion, type WrittenVersion } from '../../config/module-version.ts';
import { positionIn } from '../../config/text/position.ts';
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
import type {
  MachineChanges,
  SavedConfig,
  VersionChange,
  VersionChoice,
  VersionChoices,
} from '../../page/machine-changes.ts';
import type { PageProblem } from '../../page/page-problem.ts';
import { timeZoneIn, timeZoneOf } from '../base/time-zone.ts';
import { planOf, planSupposing } from '../plan/plan-command.ts';
import type { Planned } from '../plan/planned.ts';
import { parseProblem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  CHANGED,
  checkOf,
  fileName,
  readConfig,
  readText,
  saveConfig,
  withErrors,
  type ConfigFile,
} from './edited-config.ts';
import { FROM_SAVED, type PageMachineOptions } from './page-machine-options.ts';
import { asPageProblem, refused } from './page-problem.ts';
import { outcomeOf } from './planned-outcome.ts';

type Versions = Pick<MachineChanges, 'compare' | 'changeVersion'>;

/** The version types of a module, each planned before one is saved (T138, T139). */
export function versionsOnPage(path: string, options: PageMachineOptions, world: World): Versions {
  const place = { path, options, world };
  return {
    compare: async (name) => {
      const entry = await entryNamed(name, place);
      return entry.ok ? { ok: true, value: choicesOf(entry.value) } : entry;
    },
    changeVersion: async (name, change) => {
      const entry = await entryNamed(name, place);
      return entry.ok ? changed(entry.value, change) : entry;
    },
  };
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
  {
    path,
    options,
    world,
  }: { readonly path: string; readonly options: PageMachineOptions; readonly world: World },
): Promise<Result<Entry, PageProblem[]>> {
  const config = readConfig(path);
  if (!config.ok) return config;
  const planned = await planOf(path, { ...options, ...FROM_SAVED }, world, config.value.file);
  if (!planned.ok) return { ok: false, error: planned.error.map(asPageProblem) };
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
  if (row) {
    const message = `${labelOf(row)} is a local module: it has no version that could be changed`;
    return refused('USAGE', message, { hint: 'set its "type" to "registry" in the config' });
  }
  if (plan.subsystems.some(({ target }) => target.name === name)) {
    const message = `${name} is a subsystem: the agent configuration sets its version with pin_url, pin_version or release_channel`;
    return refused('USAGE', message, { hint: 'edit the config' });
  }
  return refused('UNKNOWN_REFERENCE', `${fileName(path)} has no module entry ${quote(name)}`);
}

function choicesOf(entry: Entry): VersionChoices {
  const { row, config, planned, written } = entry;
  const { name, moduleId, decision } = row;
  const timeZone = timeZoneOf(decision.input.timing.window) ?? timeZoneIn(planned.documents.policy);
  return {
    name,
    label: labelOf(row),
    moduleId,
    deployed: deployedCell(decision.input.deployed),
    constraint: written.version,
    etag: config.etag,
    times: { now: planned.now, timeZone },
    now: outcomeOf({ kind: 'module', name }, row, planned.plan),
    choices: constraintsFor(baseOf(row)).map((constraint) => choiceOf(constraint, entry)),
  };
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

function changed(
  { config, planned, row, written }: Entry,
  { version, etag, deployed }: VersionChange,
): Result<SavedConfig, PageProblem[]> {
  const constraint = parseConstraint(version);
  if (!constraint.ok) return { ok: false, error: [asPageProblem(parseProblem(constraint.error))] };
  const wanted = formatConstraint(constraint.value);
  const stale = (now: ConfigFile): PageProblem => staleVersion(row, wanted, now);
  if (config.etag !== etag) return { ok: false, error: [stale(config)] };
  const running = deployedCell(row.decision.input.deployed);
  if (deployed !== undefined && deployed !== running) {
    const message = `${labelOf(row)} ${running} is deployed by now, and the page showed ${deployed}; nothing was changed`;
    return refused('DEPLOYED_CHANGED', message, { hint: 'look at what each type does now' });
  }
  const to = withVersion(config.text, written, wanted);
  const check = checkOf(readText(to, config.file, planned.documents.policy));
  if (check.errors > 0) return withErrors(config.file.path, check);
  return saveConfig(config, { to, lines: [lineOf(config, written, wanted)] }, stale);
}

/** Both values: that of the file, and the one that was not saved. */
function staleVersion(row: ModulePlan, wanted: string, now: ConfigFile): PageProblem {
  const file = fileName(now.file.path);
  const written = writtenVersion(now.text, row.name);
  const found = written ? `its version is ${quote(written.version)} now` : 'it has no version now';
  return {
    code: CHANGED,
    message: `${file} was changed meanwhile, and that change is kept; ${labelOf(row)}: ${found}, and ${quote(wanted)} was not saved`,
    hint: 'look at what each type does now, and save again',
  };
}
