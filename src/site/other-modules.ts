import {
  parseModuleId,
  parseVersion,
  type ModuleId,
  type Release,
  type ReleaseIndex,
} from '../core/index.ts';
import { subsystemOf } from '../core/plan/required.ts';
import { SUBSYSTEM_MODULES } from '../core/plan/subsystem.ts';
import type { Provided } from '../core/releases/machine-facts.ts';
import { TAGS } from '../core/releases/requires.ts';
import type { ModuleStates } from '../registry/fleet-documents.ts';
import { satisfiesRange } from '../registry/npm-range.ts';
import type { Slices } from '../server/fleet/slices.ts';

/** A module's releases, with the one that is asked about. */
export interface AskedRelease {
  readonly index: ReleaseIndex;
  /** As published, build metadata included. */
  readonly version: string;
}

/** What machines reported of a module, for each of its entries, by the ids of the machines. */
export type ReportedVersions = ReadonlyMap<string, readonly Provided[]>;

/** What machines run of other modules than the one that is asked about, as far as a release requires it (D122). */
export interface OtherModules {
  /** By what releases of the module require: `platform-server` or a module id. */
  readonly required: ReadonlyMap<string, ReportedVersions>;
  readonly dependents: readonly Dependent[];
}

/** A module that has releases which require the one that is asked about. */
export interface Dependent extends DependentReleases {
  readonly reported: ReportedVersions;
}

/** What the releases of a module require of another one, by the texts of their versions. */
export interface DependentReleases {
  readonly moduleId: ModuleId;
  readonly required: ReadonlyMap<string, readonly Required[]>;
}

type Required = Pick<Broken, 'of' | 'range'>;

/** A requirement that is met now, and is not by the release that is asked about (D88). */
export interface Broken {
  readonly moduleId: ModuleId;
  readonly version: string;
  /** What is asked about, as the release names it. */
  readonly of: string;
  readonly range: string;
}

/** More than the releases of a module require. */
const MOST_REQUIRED = 64;

/** What a release, and those above it, require of modules and subsystems, with the module that has the releases of each. */
export function requiredModules({
  index,
  version: asked,
}: AskedRelease): ReadonlyMap<string, ModuleId> {
  const found = new Map<string, ModuleId>();
  for (const { version, requires = {} } of index.releases()) {
    for (const of of Object.keys(requires)) {
      const moduleId = moduleOf(of);
      if (moduleId !== undefined) found.set(of, moduleId);
      if (found.size === MOST_REQUIRED) return found;
    }
    if (version.text === asked) break;
  }
  return found;
}

/** The module that has the releases of what is required; undefined for tags. */
export function moduleOf(of: string): ModuleId | undefined {
  if (of === TAGS) return undefined;
  const subsystem = subsystemOf(of);
  if (subsystem) return SUBSYSTEM_MODULES[subsystem];
  const parsed = parseModuleId(of);
  return parsed.ok ? parsed.value : undefined;
}

/** What the releases of another module require of `of`; undefined if none does. */
export function dependentReleases(
  moduleId: ModuleId,
  releases: Iterable<Release>,
  of: ModuleId,
): DependentReleases | undefined {
  const required = new Map<string, readonly Required[]>();
  for (const { version, requires = {} } of releases) {
    const own = Object.entries(requires).flatMap(([name, ranges]) =>
      moduleOf(name) === of ? ranges.map((range) => ({ of: name, range })) : [],
    );
    if (own.length > 0) required.set(version.text, own);
  }
  return required.size === 0 ? undefined : { moduleId, required };
}

/** What machines reported, from the states of a module. An undefined state is a pause. */
export function* reportedVersions(
  states: Iterable<ModuleStates | undefined>,
): Slices<ReportedVersions> {
  const all = new Map<string, Provided[]>();
  for (const one of states) {
    if (!one) {
      yield;
      continue;
    }
    const provided = providedBy(one.state.deployed);
    for (const id of one.machines) {
      const known = all.get(id);
      if (known) known.push(provided);
      else all.set(id, [provided]);
    }
  }
  return all;
}

/** What a machine has by the text that it reports. */
export function providedBy(deployed: string): Provided {
  if (deployed === 'none' || deployed === 'unknown') return { kind: deployed };
  const version = parseVersion(deployed);
  return version.ok ? { kind: 'version', text: version.value.text } : { kind: 'no-version' };
}

/** What of other modules on `machine` would no longer have what it requires if `to` replaced `deployed`. */
export function brokenOn(
  machine: string,
  { deployed, to }: { readonly deployed: string; readonly to: string },
  dependents: readonly Dependent[],
): Broken[] {
  const broken = new Map<string, Broken>();
  for (const { moduleId, required, reported } of dependents) {
    for (const one of reported.get(machine) ?? []) {
      const version = one.kind === 'version' ? one.text : '';
      const found = required
        .get(version)
        ?.find(
          ({ range }) => satisfiesRange(deployed, range) && satisfiesRange(to, range) === false,
        );
      if (found) broken.set(`${moduleId} ${version}`, { moduleId, version, ...found });
    }
  }
  return [...broken.values()];
}
