import { existsSync } from 'node:fs';
import type { ModuleId, Result } from '../../core/index.ts';
import type { RegistryWriter } from '../../registry/registry-writer.ts';
import type { Catalogue, PublishedRelease, PublishResult } from '../../server/index.ts';
import { FleetFile, fleetPath } from '../../server/fleet/fleet-file.ts';
import { firstStepAtOnce } from '../../server/rollout/first-step.ts';
import { describeOtherSoak } from '../../server/rollout/rollout-change.ts';
import { limitWarnings, type LimitWarning } from '../../server/catalogue/list-limits.ts';
import { releaseAsJson } from '../../server/catalogue/published-release.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  changedFileNotes,
  databaseProblem,
  modeOf,
  openCatalogue,
  withCatalogue,
  withModuleId,
  type CreatingOptions,
} from '../../site/catalogue-options.ts';
import { limitWarningsIn } from '../../site/remote-warnings.ts';
import { refusalProblem, withWriter, type ChangeOptions } from '../../site/remote-registry.ts';
import { releasesFrom, type ReleaseOptions } from '../../site/release-options.ts';
import type { Upload } from '../../site/uploads.ts';

export type PublishOptions = CreatingOptions & ChangeOptions & ReleaseOptions;

/** How many releases had each result. */
type Counts = Readonly<Record<'published' | 'yanked' | 'unchanged', number>>;

/** `modreg registry publish <module_id> [version]`: publishes one release from options, or all releases of a file. */
export async function publishCommand(
  moduleIdText: string,
  version: string | undefined,
  options: PublishOptions,
  world: World,
): Promise<Outcome> {
  const uploads = await uploadsIn(options);
  if (!uploads.ok) return failed(uploads.error);
  const releases = releasesFrom([moduleIdText, version], options, uploads.value);
  if (!releases.ok) return failed(releases.error);
  const { value } = releases;
  return await withModuleId(moduleIdText, async (moduleId) => {
    if (options.registry === undefined) {
      const problem = await stored(uploads.value, options, world);
      if (problem) return failed(problem);
      const outcome = publishToFile(moduleId, value, options, world);
      return outcome.answer.length === 0
        ? outcome
        : { ...outcome, notes: changedFileNotes(options, world) };
    }
    if (options.create)
      return failed(usage('--create creates a file, and --registry is an address'));
    return await withWriter(options, world, async (writer) => {
      const problem = await sent(uploads.value, writer, moduleId);
      if (problem) return failed(problem);
      return await publishOver(writer, moduleId, value, options);
    });
  });
}

/** The files of `--upload`. A publication without them does not load their code. */
async function uploadsIn({
  upload,
  file,
}: PublishOptions): Promise<Result<readonly Upload[], Problem>> {
  if (upload === undefined || file !== undefined) return { ok: true, value: [] };
  const { uploadsOf } = await import('../../site/uploads.ts');
  return await uploadsOf(upload);
}

/** Stores the files of `--upload` in the registry's folder. The result is why they are not there. */
async function stored(
  uploads: readonly Upload[],
  options: PublishOptions,
  world: World,
): Promise<Problem | undefined> {
  if (uploads.length === 0) return undefined;
  const catalogue = openCatalogue(options, world, modeOf(options));
  if (!catalogue.ok) return catalogue.error;
  const { storeUploads } = await import('../../site/uploads.ts');
  try {
    return await storeUploads(uploads, catalogue.value, world.clock());
  } catch (error) {
    return databaseProblem(error);
  } finally {
    catalogue.value.close();
  }
}

/** Sends the files of `--upload` to the registry. The result is why it does not have them. */
async function sent(
  uploads: readonly Upload[],
  writer: RegistryWriter,
  moduleId: ModuleId,
): Promise<Problem | undefined> {
  if (uploads.length === 0) return undefined;
  const { sendUploads } = await import('../../site/uploads.ts');
  return await sendUploads(uploads, writer, moduleId);
}

/** Publishes all releases, or none. */
function publishToFile(
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  options: PublishOptions,
  world: World,
): Outcome {
  return withCatalogue(options, world, modeOf(options), (catalogue) => {
    const results = publishedIn(catalogue, moduleId, releases, world);
    const late = releases[results.indexOf('without-rollout')];
    if (late) {
      const message = `${moduleId} ${late.version} is already published without a rollout, and machines may have it; nothing was changed`;
      const hint = 'yank it, and start its rollout with modreg rollout start';
      return failed({ severity: 'error', kind: 'rollout-conflict', message, hint });
    }
    const other = releases[results.indexOf('other-soak')];
    if (other) {
      const message = `${describeOtherSoak(catalogue.rollouts, moduleId, other)}; nothing was changed`;
      return failed({ severity: 'error', kind: 'rollout-conflict', message });
    }
    const conflict = releases[results.indexOf('other-content')];
    if (conflict) {
      const message = `${moduleId} ${conflict.version} is already published with different content; nothing was changed`;
      const hint = 'a release never changes: yank it, and publish another version';
      return failed({ severity: 'error', kind: 'already-published', message, hint });
    }
    const lacking = releases[results.indexOf('missing-file')];
    if (lacking) {
      const message = `${moduleId} ${lacking.version} has an artifact whose file this registry does not host; nothing was changed`;
      const hint = 'publish the release with --upload and the file';
      return failed({ severity: 'error', kind: 'bad-value', message, hint });
    }
    const counts = countsOf(results);
    return publishedOutcome(moduleId, counts, limitWarnings(catalogue, moduleId), options);
  });
}

/** The first step of a rollout includes machines that reported to the server of the file, if it ever ran. */
function publishedIn(
  catalogue: Catalogue,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  world: World,
): readonly PublishResult[] {
  const path = fleetPath(catalogue.path);
  if (!releases.some(({ rollout }) => rollout) || !existsSync(path)) {
    return catalogue.publishAll(moduleId, releases, world.clock());
  }
  const fleet = new FleetFile(path, () => world.clock());
  catalogue.firstStep = firstStepAtOnce(fleet);
  try {
    return catalogue.publishAll(moduleId, releases, world.clock());
  } finally {
    fleet.close();
  }
}

/** Publishes the releases one by one, up to the first one that the registry refuses. */
async function publishOver(
  writer: RegistryWriter,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  options: PublishOptions,
): Promise<Outcome> {
  const results: unknown[] = [];
  let warnings: readonly LimitWarning[] = [];
  for (const release of releases) {
    const result = await writer.publish(moduleId, releaseAsJson(release));
    if (result.kind !== 'done') {
      const problem = refusalProblem(result);
      if (releases.length === 1) return failed(problem);
      const done = `${results.length} of ${countOf(releases.length, 'release')} were accepted before ${release.version}, and those after it were not sent`;
      return failed({ ...problem, because: [...(problem.because ?? []), done] });
    }
    results.push(result.json['result']);
    warnings = limitWarningsIn(result.json);
  }
  return publishedOutcome(moduleId, countsOf(results), warnings, options);
}

function countsOf(results: readonly unknown[]): Counts {
  const count = (result: unknown): number => results.filter((one) => one === result).length;
  const [published, yanked] = [count('published'), count('yanked')];
  return { published, yanked, unchanged: results.length - published - yanked };
}

function publishedOutcome(
  moduleId: ModuleId,
  { published, yanked, unchanged }: Counts,
  limits: readonly LimitWarning[],
  options: PublishOptions,
): Outcome {
  const schema = 'modreg/registry-publish@1';
  const json = { schema, module_id: moduleId, published, yanked, unchanged };
  const line = `${moduleId}: ${published} published, ${unchanged} unchanged${yanked === 0 ? '' : `, ${yanked} yanked`}`;
  const problems = limits.map((limit): Problem => ({ severity: 'warning', ...limit }));
  return { answer: [options.json ? jsonLine(json) : line], notes: [], problems };
}
