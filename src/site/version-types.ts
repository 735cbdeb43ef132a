import type { Problem } from '../base/problem.ts';
import { parseProblem } from '../base/problem.ts';
import {
  isLocalEntry,
  withVersion,
  writtenVersion,
  type WrittenVersion,
} from '../config/module-version.ts';
import {
  formatConstraint,
  parseConstraint,
  parseModuleId,
  parseVersion,
  type Constraint,
  type Version,
} from '../core/index.ts';
import { summarizeDecision } from '../core/explanation/plan-words.ts';
import { excerpt, quote } from '../core/text/quote.ts';
import { constraintsFor } from '../core/version/constraint.ts';
import { systemClock } from '../registry/clock.ts';
import type { StoredRevision } from '../server/configs/config-table.ts';
import type { ConfigSource } from '../server/configs/source-table.ts';
import { machineDetail, type MachineDetail } from '../server/fleet/machine-detail.ts';
import { newestFirst, recordsIn } from './catalogue-records.ts';
import type { OnChange } from './on-change.ts';
import { decisionSupposing } from './refused-here.ts';
import { reportedWindows } from './reported-windows.ts';
import { saveDocuments, type SiteDocuments, type Saving } from './served-documents.ts';
import { unknownReference, type Answer, type SiteFiles } from './site-files.ts';
import { whatIfBudget } from './what-if-budget.ts';

/** A version type of the reference, with the numbers of what is deployed. */
interface VersionType {
  readonly type: Constraint['kind'];
  readonly constraint: string;
  /** Whether the document has it. */
  readonly isCurrent: boolean;
  /** What the machine would do, by its last report; undefined if that is not known. */
  readonly outcome: string | undefined;
}

/** The version types of a module entry of a served document. */
export interface VersionTypes {
  readonly machine: string;
  readonly name: string;
  /** What the machine reported. */
  readonly deployed: string | undefined;
  /** What the newest revision has. */
  readonly constraint: string;
  readonly revision: number;
  readonly types: readonly VersionType[];
}

/** Changes of the versions of modules in the documents that a registry serves to machines (D322). */
export interface SiteVersions {
  versionTypes(machine: string, name: string): Answer<VersionTypes>;
  /** Changes the version of an entry, and nothing else, as the next revision. */
  changeVersion(
    machine: string,
    change: { readonly name: string; readonly version: string },
    saving: Saving,
  ): ReturnType<SiteDocuments['restore']>;
}

export function versionsOf(files: SiteFiles, onChange: OnChange): SiteVersions {
  return {
    versionTypes(machine, name) {
      const found = entryIn(files, machine, name);
      return found.ok ? { ok: true, value: typesOf(files, found.value) } : found;
    },
    async changeVersion(machine, { name, version }, saving) {
      const found = entryIn(files, machine, name, saving.basedOn);
      if (!found.ok) return notSaved(found.error);
      const wanted = parseConstraint(version);
      if (!wanted.ok) return notSaved(parseProblem(wanted.error));
      const { revision } = found.value;
      const own = ownIn(files, found.value);
      if (!own.ok) return notSaved(own.error);
      const { config: text, written, policy, fragments } = own.value;
      const config = withVersion(text, written, formatConstraint(wanted.value));
      const next = { machine: revision.machine, config, policy, fragments };
      return await saveDocuments(files, onChange, { ...next, ...saving });
    },
  };
}

function notSaved(problem: Problem): Awaited<ReturnType<SiteVersions['changeVersion']>> {
  return { ok: false, error: { problem } };
}

interface FoundEntry {
  readonly name: string;
  readonly revision: StoredRevision;
  readonly written: WrittenVersion;
}

/** An entry in the revision that a person saw, or in the newest; or why it cannot be changed here (T729). */
function entryIn(
  { catalogue: { configs } }: SiteFiles,
  machine: string,
  name: string,
  seen?: number,
): Answer<FoundEntry> {
  const newest = configs.newest(machine);
  if (!newest) {
    const message = `this registry serves no documents to ${quote(machine)}, so its versions are changed on the machine`;
    const hint = `to change them here, save them with modreg fleet config set machine.json --machine ${excerpt(machine)} --reason first, and start the agent of the machine with --config-from and the address of this registry`;
    return { ok: false, error: { severity: 'error', kind: 'unknown-config', message, hint } };
  }
  const revision = (seen === undefined ? undefined : configs.at(machine, seen)) ?? newest;
  const written = writtenVersion(revision.config, name);
  const isLocal = isLocalEntry(revision.config, name);
  if (written && !isLocal) return { ok: true, value: { name, revision, written } };
  const which = `revision ${revision.revision} of the documents of ${machine}`;
  return unknownReference(`${which} has no registry module ${quote(name)}`);
}

/** What the machine has of its own, if it uses fragments, with its entry (D329). */
function ownIn(
  { catalogue: { configs } }: SiteFiles,
  { name, revision, written }: FoundEntry,
): Answer<ConfigSource & { readonly written: WrittenVersion }> {
  const { machine, config, policy } = revision;
  const source = configs.source(machine, revision.revision);
  if (!source) return { ok: true, value: { config, policy, fragments: [], written } };
  const own = writtenVersion(source.config, name);
  if (own) return { ok: true, value: { ...source, written: own } };
  const message = `${quote(name)} of ${machine} is an entry of its fragments ${source.fragments.map((one) => excerpt(one)).join(', ')}; nothing was saved`;
  const hint =
    'modreg fleet config fragment set changes it on each machine that uses it; an entry of the same name in the documents of the machine replaces it';
  return { ok: false, error: { severity: 'error', kind: 'unknown-config', message, hint } };
}

function typesOf(files: SiteFiles, { name, revision, written }: FoundEntry): VersionTypes {
  const { machine } = revision;
  const detail = files.fleet.read((sql) => machineDetail(sql, machine, files.now()));
  const module = detail?.modules.find((one) => one.kind === 'module' && one.name === name);
  const records = recordsOf(files, module?.moduleId);
  const base =
    versionIn(module?.deployed) ?? versionIn(module?.target) ?? newestFirst(records)[0]?.version;
  const supposed = supposing(files, { detail, module, records });
  return {
    machine,
    name,
    deployed: module?.deployed,
    constraint: written.version,
    revision: revision.revision,
    types: constraintsFor(base).map((type) => {
      const constraint = formatConstraint(type);
      const isCurrent = constraint === written.version;
      return { type: type.kind, constraint, isCurrent, outcome: supposed(type) };
    }),
  };
}

type Records = ReturnType<typeof recordsIn>;

function recordsOf({ catalogue }: SiteFiles, id: string | undefined): Records {
  const moduleId = parseModuleId(id);
  return moduleId.ok ? recordsIn(catalogue, moduleId.value) : [];
}

function versionIn(text: string | undefined): Version | undefined {
  const version = parseVersion(text);
  return version.ok ? version.value : undefined;
}

/** What the machine would decide with a constraint, by its last report. */
function supposing(
  { now }: SiteFiles,
  {
    detail,
    module,
    records,
  }: {
    readonly detail: MachineDetail | undefined;
    readonly module: MachineDetail['modules'][number] | undefined;
    readonly records: Records;
  },
): (constraint: Constraint) => string | undefined {
  const facts = module?.facts;
  if (!detail || !facts) return () => undefined;
  const { windowOf } = reportedWindows(whatIfBudget(systemClock), now());
  const shown = { machine: detail, records, windowOf, now: now(), when: 'not-asked' } as const;
  return (constraint) => {
    const decision = decisionSupposing(facts, shown, constraint);
    return decision && summarizeDecision(decision);
  };
}
