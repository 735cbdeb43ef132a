import type { Result } from '../../core/index.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { PublishedRelease } from '../../server/index.ts';
import { filelessIn } from '../../site/fileless.ts';
import { publishReleases, type Publication, type PublishOptions } from '../../site/publish.ts';
import { addNotes, notesFrom } from '../../site/release-notes.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { changedFileNotes } from './changed-file-notes.ts';

interface PublishCommandOptions extends PublishOptions, AnswerOptions {
  readonly dryRun?: true;
  /** A file. */
  readonly notes?: string;
  /** False with `--no-check`. */
  readonly check?: boolean;
}

/** `modreg registry publish <module_id> [version]`: publishes one release from options, or all releases of a file. */
export async function publishCommand(
  moduleIdText: string,
  version: string | undefined,
  options: PublishCommandOptions,
  world: World,
): Promise<Outcome> {
  const unusable = await unusableIn(options);
  if (unusable) return failed(unusable);
  const notes = notesIn(options);
  if (notes?.ok === false) return failed(notes.error);
  if (options.dryRun) {
    const { dryRun } = await import('./dry-run-command.ts');
    return await dryRun([moduleIdText, version], { ...options, notesText: notes?.value }, world);
  }
  const publication = await publishShown([moduleIdText, version], options, world);
  const noted = publication.ok
    ? await withNotes(publication.value, notes?.value, options, world)
    : withNotesHint(publication, options);
  return outcomeOf(noted, (done) => {
    const fileless = filelessOf(done, options, world);
    return {
      answer: [options.json ? asJson(done, fileless !== undefined) : lineOf(done)],
      notes: [
        ...changedFileNotes(options, world),
        ...done.staged.map((one) => stagedNote(done.moduleId, one)),
        ...(fileless === undefined ? [] : [filelessNote(fileless)]),
      ],
      problems: done.limits.map((limit): Problem => ({ severity: 'warning', ...limit })),
    };
  });
}

/** Publishes, and shows meanwhile how much of the files was sent (D471). */
async function publishShown(
  [moduleId, version]: readonly [moduleId: string, version: string | undefined],
  options: PublishCommandOptions,
  world: World,
): ReturnType<typeof publishReleases> {
  if (options.upload === undefined || options.registry === undefined) {
    return await publishReleases(moduleId, version, options, world);
  }
  const { uploadStatus } = await import('./upload-status.ts');
  const onSent = uploadStatus(
    (text) => world.status(text),
    () => world.clock(),
  );
  try {
    return await publishReleases(moduleId, version, { ...options, onSent }, world);
  } finally {
    world.status(undefined);
  }
}

function asJson(
  { moduleId, releases, staged, notes, ...counts }: NotedPublication,
  isFileless: boolean,
): string {
  const { published, signed, yanked, unchanged } = counts;
  const files = filesOf(releases);
  return jsonLine({
    schema: 'modreg/registry-publish@1',
    module_id: moduleId,
    published,
    ...(signed > 0 && { signed }),
    yanked,
    unchanged,
    ...(staged.length > 0 && { rollouts_started: staged }),
    ...(files.length > 0 && { files }),
    ...(isFileless && { without_file: true }),
    ...(notes !== undefined && { notes }),
  });
}

function lineOf({ moduleId, notes, ...counts }: NotedPublication): string {
  const { published, signed, yanked, unchanged } = counts;
  const rest = [
    ...(signed === 0 ? [] : [`, ${signed} signed`]),
    ...(yanked === 0 ? [] : [`, ${yanked} yanked`]),
    ...(notes === 'added' ? [', notes added'] : []),
  ].join('');
  return `${moduleId}: ${published} published, ${unchanged} unchanged${rest}`;
}

/** A publication, and what became of its notes; undefined if there were none. */
interface NotedPublication extends Publication {
  readonly notes: 'added' | 'unchanged' | undefined;
}

/** Adds the notes of `--notes` to the release that was published (D379). */
async function withNotes(
  publication: Publication,
  notes: string | undefined,
  options: PublishCommandOptions,
  world: World,
): Promise<Result<NotedPublication, Problem>> {
  const { moduleId, releases } = publication;
  const [release] = releases;
  if (notes === undefined || !release)
    return { ok: true, value: { ...publication, notes: undefined } };
  const added = await addNotes({ moduleId, version: release.version }, notes, options, world);
  if (added.ok)
    return { ok: true, value: { ...publication, notes: added.value ? 'added' : 'unchanged' } };
  const message = `${added.error.message}; the release itself is published`;
  return { ok: false, error: { ...added.error, message } };
}

/** Notes are added to a published release by a publication that is the same otherwise (D436). */
function withNotesHint(
  refused: { readonly ok: false; readonly error: Problem },
  { notes }: PublishCommandOptions,
): { readonly ok: false; readonly error: Problem } {
  const { error } = refused;
  if (notes === undefined || error.kind !== 'already-published') return refused;
  return { ok: false, error: { ...error, hint: NOTES_HINT } };
}

const NOTES_HINT =
  'to add notes to a published release, repeat its publication with the same --upload and other options, and --notes';

function notesIn({ notes, file }: PublishCommandOptions): Result<string, Problem> | undefined {
  if (notes === undefined) return undefined;
  if (file === undefined) return notesFrom(notes);
  return { ok: false, error: usage('--notes is for one release, and --file names several') };
}

/** Why machines could not run a file of `--upload`. A publication without files does not load the agent's code. */
async function unusableIn({
  upload,
  file,
  check,
}: PublishCommandOptions): Promise<Problem | undefined> {
  if (upload === undefined || file !== undefined || check === false) return undefined;
  const { unusableUpload } = await import('../module/unusable-package.ts');
  return await unusableUpload(upload);
}

/** The files of the releases, with their digests. */
function filesOf(releases: readonly PublishedRelease[]): object[] {
  return releases.flatMap(({ version, artifacts = [] }) =>
    artifacts.map(({ platform, digest, size }) => ({ version, platform, digest, size })),
  );
}

/** The version that was published without a file, which modreg's agent cannot install (D491); undefined if it has one. */
function filelessOf(
  { moduleId, releases, published }: Publication,
  options: PublishOptions,
  world: World,
): string | undefined {
  return published > 0 ? filelessIn(moduleId, releases, options, world) : undefined;
}

function filelessNote(version: string): string {
  return `note: ${version} has no file, and none can be added later: modreg's agent cannot install it; publish the next version with --upload <file>`;
}

/** The registry began a rollout by default (D220). */
function stagedNote(moduleId: string, version: string): string {
  return `note: the registry began a rollout of ${version}: modreg rollout status ${moduleId} ${version}; --all-at-once would have released it to all machines`;
}
