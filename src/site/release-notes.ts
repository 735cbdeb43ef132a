import type { ModuleId, Release, Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { readRegularFile } from '../host/document-file.ts';
import { retryBudget } from '../registry/retry-budget.ts';
import { MOST_NOTES_BYTES, readNotesBody } from '../server/catalogue/release-notes.ts';
import { withCatalogue } from './catalogue-options.ts';
import { newestFirst, recordsIn } from './catalogue-records.ts';
import {
  moduleIdIn,
  unknownRelease,
  unknownVersion,
  versionIn,
  type NamedRelease,
} from './named-release.ts';
import { withReadRegistry, type ReadOptions } from './remote-lists.ts';
import { refusalProblem, withWriter, type ChangeOptions } from './remote-registry.ts';
import { utf8Text } from './utf8-text.ts';

const READ = { mode: 'read', hasAddress: true } as const;
const WRITE = { mode: 'write', hasAddress: true } as const;

/** The release notes in the file at `path`. */
export function notesFrom(path: string): Result<string, Problem> {
  const file = readRegularFile(path, MOST_NOTES_BYTES);
  if (!file.ok) return file;
  const refused = (found: string): Result<never, Problem> => {
    const message = `the release notes ${quote(path)}: ${found}`;
    return { ok: false, error: { severity: 'error', kind: 'bad-value', message } };
  };
  const { bytes } = file.value;
  if (bytes.length > MOST_NOTES_BYTES) {
    return refused(`found more than ${MOST_NOTES_BYTES} bytes, expected at most 64 KiB`);
  }
  const notes = utf8Text(bytes);
  if (notes === undefined) return refused('found bytes that are not UTF-8');
  const read = readNotesBody({ notes });
  return read.ok ? read : refused((read.error[0] ?? '').replace(/^\/notes: /, ''));
}

/** Adds notes to a published release, in a file or over HTTP. Returns whether it had none (D379). */
export async function addNotes(
  release: NamedRelease,
  notes: string,
  options: ChangeOptions,
  world: World,
): Promise<Result<boolean, Problem>> {
  const { moduleId, version } = release;
  if (options.registry === undefined) {
    return withCatalogue(options, world, WRITE, (catalogue): Result<boolean, Problem> => {
      const result = catalogue.apply({ kind: 'notes', moduleId, version, notes });
      switch (result) {
        case 'done':
        case 'unchanged':
          return { ok: true, value: result === 'done' };
        case 'other-notes':
          return { ok: false, error: otherNotes(release) };
        case 'unknown-module':
        case 'unknown-version':
          return { ok: false, error: unknownRelease(result, release) };
      }
    });
  }
  return await withWriter(options, world, async (writer) => {
    const result = await writer.notes(moduleId, version, notes);
    if (result.kind === 'done') return { ok: true, value: result.json['result'] === 'done' };
    const isOther = result.kind === 'already-published';
    return { ok: false, error: isOther ? otherNotes(release) : refusalProblem(result) };
  });
}

function otherNotes({ moduleId, version }: NamedRelease): Problem {
  return {
    severity: 'error',
    kind: 'already-published',
    message: `${moduleId} ${version} has other release notes, which stay`,
    hint: 'release notes never change: correct them in those of the next release',
  };
}

/** A release of a registry with its notes. */
export interface NotedRelease {
  readonly moduleId: ModuleId;
  readonly release: Release;
  /** Null if the registry has none. */
  readonly notes: string | null;
}

/** One release and its notes. */
export async function readNoted(
  [moduleText, versionText]: readonly [module: string, version: string],
  options: ReadOptions,
  world: World,
): Promise<Result<NotedRelease, Problem>> {
  const version = versionIn(versionText);
  if (!version.ok) return version;
  const named = moduleIdIn(moduleText);
  if (!named.ok) return named;
  const asked = { moduleId: named.value, version: version.value.text };
  const { moduleId } = asked;
  const { registry } = options;
  if (registry === undefined) {
    return withCatalogue(options, world, READ, (catalogue) =>
      noted(
        asked,
        newestFirst(recordsIn(catalogue, moduleId)),
        catalogue.notes.of(moduleId, asked.version),
      ),
    );
  }
  return await withReadRegistry({ ...options, registry }, world, async (read) => {
    const { records } = await read.registries.read(read.registry, moduleId);
    const round = { budget: retryBudget() };
    const notes = await read.registry.remote?.notes?.(moduleId, asked.version, round);
    return noted(asked, newestFirst(records), notes);
  });
}

function noted(
  asked: NamedRelease,
  releases: readonly Release[],
  notes: string | null | undefined,
): Result<NotedRelease, Problem> {
  const release = releases.find(({ version }) => version.text === asked.version);
  if (release)
    return { ok: true, value: { moduleId: asked.moduleId, release, notes: notes ?? null } };
  const versions = releases.map(({ version }) => version.text);
  const error =
    versions.length === 0
      ? unknownRelease('unknown-module', asked)
      : unknownVersion(asked, versions);
  return { ok: false, error };
}
