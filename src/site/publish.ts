import { existsSync } from 'node:fs';
import type { ModuleId, Result } from '../core/index.ts';
import { countOf } from '../base/count.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import type { RegistryWriter } from '../registry/registry-writer.ts';
import { limitWarnings, type LimitWarning } from '../server/catalogue/list-limits.ts';
import { releaseAsJson } from '../server/catalogue/published-release.ts';
import { FleetFile, fleetPath } from '../server/fleet/fleet-file.ts';
import type { Catalogue, PublishedRelease, PublishResult } from '../server/index.ts';
import { emptyGroup } from '../server/fleet/groups.ts';
import { emptyFirst, firstStepAtOnce } from '../server/rollout/first-step.ts';
import { hasLaterField, olderMachines } from '../server/fleet/older-machines.ts';
import {
  databaseProblem,
  modeOf,
  openCatalogue,
  withCatalogue,
  type CreatingOptions,
} from './catalogue-options.ts';
import { moduleIdIn } from './named-release.ts';
import { releasesFrom, type ReleaseOptions } from './release-options.ts';
import { refusalProblem, withWriter, type ChangeOptions } from './remote-registry.ts';
import { refusedIn } from './refused-publication.ts';
import { limitWarningsIn } from './remote-warnings.ts';
import {
  signedInFile,
  signedOver,
  signersOf,
  type SigningOptions,
  type Unsigned,
} from './signing.ts';
import type { SentBytes, Upload } from './uploads.ts';

export type PublishOptions = CreatingOptions &
  ChangeOptions &
  ReleaseOptions &
  SigningOptions & {
    readonly force?: true;
    readonly allAtOnce?: true;
    /** Is told how much of a file of `--upload` was sent. */
    readonly onSent?: ((sent: SentBytes) => void) | undefined;
  };

/** How many releases had each result. */
export type Counts = Readonly<Record<'published' | 'signed' | 'yanked' | 'unchanged', number>>;

/** What a publication came to. */
export interface Publication extends Counts {
  readonly moduleId: ModuleId;
  readonly releases: readonly PublishedRelease[];
  /** The versions whose rollout the registry began by default (D220). */
  readonly staged: readonly string[];
  readonly limits: readonly LimitWarning[];
}

type Published = Result<Publication, Problem>;

/** What the command line says is to be published. */
export interface Wish {
  readonly moduleId: ModuleId;
  readonly uploads: readonly Upload[];
  readonly releases: readonly PublishedRelease[];
}

/** The releases that would be published, as the registry would get them. Nothing is changed or asked. */
export async function releasesToPublish(
  moduleText: string,
  version: string | undefined,
  options: PublishOptions,
): Promise<Result<Wish, Problem>> {
  const contradiction = allAtOnceProblem(options);
  if (contradiction) return { ok: false, error: contradiction };
  const uploads = await uploadsIn(options);
  if (!uploads.ok) return uploads;
  const releases = releasesFrom([moduleText, version], options, uploads.value);
  if (!releases.ok) return releases;
  const moduleId = moduleIdIn(moduleText);
  if (!moduleId.ok) return moduleId;
  return {
    ok: true,
    value: { moduleId: moduleId.value, uploads: uploads.value, releases: releases.value },
  };
}

/** Publishes one release from options, or all releases of a file: in a file, or over HTTP. */
export async function publishReleases(
  moduleText: string,
  version: string | undefined,
  options: PublishOptions,
  world: World,
): Promise<Published> {
  const signers = signersOf(options, world);
  if (!signers.ok) return signers;
  const wish = await releasesToPublish(moduleText, version, options);
  if (!wish.ok) return wish;
  const { moduleId, uploads } = wish.value;
  const unsigned = { releases: wish.value.releases, signers: signers.value };
  if (options.registry === undefined) {
    const problem = await stored(uploads, options, world);
    if (problem) return { ok: false, error: problem };
    return publishToFile(moduleId, unsigned, options, world);
  }
  if (options.create) {
    return { ok: false, error: usage('--create creates a file, and --registry is an address') };
  }
  return await withWriter(options, world, async (writer): Promise<Published> => {
    const problem = await sent(uploads, writer, { moduleId, onSent: options.onSent });
    if (problem) return { ok: false, error: problem };
    const signed = await signedOver(writer, moduleId, unsigned);
    if (!signed.ok) return signed;
    return await publishOver(writer, moduleId, signed.value, options);
  });
}

function allAtOnceProblem({ allAtOnce, registry, rollout }: PublishOptions): Problem | undefined {
  if (!allAtOnce) return undefined;
  if (rollout) return usage('--rollout begins a rollout, and --all-at-once none');
  if (registry !== undefined) return undefined;
  return usage('--all-at-once is for --registry: in a file, only --rollout begins a rollout');
}

/** The files of `--upload`. A publication without them does not load their code. */
async function uploadsIn({
  upload,
  file,
}: PublishOptions): Promise<Result<readonly Upload[], Problem>> {
  if (upload === undefined || file !== undefined) return { ok: true, value: [] };
  const { uploadsOf } = await import('./uploads.ts');
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
  const { storeUploads } = await import('./uploads.ts');
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
  terms: { readonly moduleId: ModuleId } & Pick<PublishOptions, 'onSent'>,
): Promise<Problem | undefined> {
  if (uploads.length === 0) return undefined;
  const { sendUploads } = await import('./uploads.ts');
  return await sendUploads(uploads, writer, terms);
}

/** Publishes all releases, or none. */
function publishToFile(
  moduleId: ModuleId,
  unsigned: Unsigned,
  options: PublishOptions,
  world: World,
): Published {
  return withCatalogue(options, world, modeOf(options), (catalogue): Published => {
    const signed = signedInFile(catalogue, moduleId, unsigned, world.clock());
    if (!signed.ok) return signed;
    const releases = signed.value;
    const empty = emptyIn(catalogue, moduleId, releases);
    if (empty) return { ok: false, error: empty };
    const older = options.force ? undefined : olderMachinesIn(catalogue, moduleId, releases, world);
    if (older !== undefined) return { ok: false, error: olderMachinesProblem(older) };
    const results = publishedIn(catalogue, moduleId, releases, world);
    const refused = refusedIn(catalogue, moduleId, releases, results);
    if (refused) return { ok: false, error: refused };
    const limits = limitWarnings(catalogue, moduleId);
    return { ok: true, value: { moduleId, releases, ...countsOf(results), staged: [], limits } };
  });
}

/** The problem that a release is to begin a rollout with a group that no machine is in (T400). */
function emptyIn(
  catalogue: Catalogue,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
): Problem | undefined {
  const begun = releases.filter(
    ({ version }) => catalogue.isYanked(moduleId, version) === undefined,
  );
  const first = begun.flatMap(({ rollout }) => rollout?.first ?? []);
  const path = fleetPath(catalogue.path);
  if (first.length === 0) return undefined;
  const empty = existsSync(path) ? emptyInFile(path, first) : emptyGroup([], first);
  if (empty === undefined) return undefined;
  return { severity: 'error', kind: 'rollout-conflict', message: `${empty}; nothing was changed` };
}

function emptyInFile(path: string, first: readonly string[]): string | undefined {
  const fleet = new FleetFile(path, () => 0);
  try {
    return emptyFirst(fleet, first);
  } finally {
    fleet.close();
  }
}

function olderMachinesProblem(found: string): Problem {
  const message = `${found}; nothing was changed`;
  const hint = 'upgrade them first, or publish with --force';
  return { severity: 'error', kind: 'older-machines', message, hint };
}

/** Which machines that reported to the server of the file would ignore a field of a new release (D93). */
function olderMachinesIn(
  catalogue: Catalogue,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  world: World,
): string | undefined {
  const path = fleetPath(catalogue.path);
  const later = releases.filter(
    (one) => hasLaterField(one) && catalogue.isYanked(moduleId, one.version) === undefined,
  );
  if (later.length === 0 || !existsSync(path)) return undefined;
  const fleet = new FleetFile(path, () => world.clock(), { mode: 'read' });
  try {
    return fleet.read((sql) =>
      later.map((one) => olderMachines(sql, moduleId, one)).find((one) => one !== undefined),
    );
  } finally {
    fleet.close();
  }
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
export async function publishOver(
  writer: RegistryWriter,
  moduleId: ModuleId,
  releases: readonly PublishedRelease[],
  { force, allAtOnce }: Pick<PublishOptions, 'force' | 'allAtOnce'>,
): Promise<Published> {
  const results: unknown[] = [];
  const staged: string[] = [];
  let limits: readonly LimitWarning[] = [];
  for (const release of releases) {
    const how = { isForced: force, isForAll: allAtOnce };
    const result = await writer.publish(moduleId, releaseAsJson(release), how);
    if (result.kind !== 'done') {
      const problem = refusalProblem(result);
      if (releases.length === 1) return { ok: false, error: problem };
      const done = `${results.length} of ${countOf(releases.length, 'release')} were accepted before ${release.version}, and those after it were not sent`;
      return { ok: false, error: { ...problem, because: [...(problem.because ?? []), done] } };
    }
    results.push(result.json['result']);
    if (!release.rollout && result.json['rollout'] === 'started') staged.push(release.version);
    limits = limitWarningsIn(result.json);
  }
  return { ok: true, value: { moduleId, releases, ...countsOf(results), staged, limits } };
}

export function countsOf(results: readonly unknown[]): Counts {
  const count = (result: unknown): number => results.filter((one) => one === result).length;
  const [published, signed, yanked] = [count('published'), count('signed'), count('yanked')];
  return { published, signed, yanked, unchanged: results.length - published - signed - yanked };
}
