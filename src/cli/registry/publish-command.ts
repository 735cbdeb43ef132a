import { failed, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { PublishedRelease } from '../../server/index.ts';
import { publishReleases, type PublishOptions } from '../../site/publish.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { changedFileNotes } from './changed-file-notes.ts';

interface PublishCommandOptions extends PublishOptions, AnswerOptions {
  readonly dryRun?: true;
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
  if (options.dryRun) {
    const { dryRun } = await import('./dry-run-command.ts');
    return await dryRun([moduleIdText, version], options, world);
  }
  const publication = await publishReleases(moduleIdText, version, options, world);
  return outcomeOf(publication, ({ moduleId, releases, staged, limits, ...counts }) => {
    const { published, signed, yanked, unchanged } = counts;
    const schema = 'modreg/registry-publish@1';
    const more = signed === 0 ? undefined : { signed };
    const begun = staged.length === 0 ? undefined : { rollouts_started: staged };
    const result = { module_id: moduleId, published, ...more, yanked, unchanged, ...begun };
    const files = filesOf(releases);
    const json = { schema, ...result, ...(files.length > 0 && { files }) };
    const rest = [
      ...(signed === 0 ? [] : [`, ${signed} signed`]),
      ...(yanked === 0 ? [] : [`, ${yanked} yanked`]),
    ].join('');
    const line = `${moduleId}: ${published} published, ${unchanged} unchanged${rest}`;
    return {
      answer: [options.json ? jsonLine(json) : line],
      notes: [
        ...changedFileNotes(options, world),
        ...staged.map((one) => stagedNote(moduleId, one)),
      ],
      problems: limits.map((limit): Problem => ({ severity: 'warning', ...limit })),
    };
  });
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

/** The registry began a rollout by default (D220). */
function stagedNote(moduleId: string, version: string): string {
  return `note: the registry began a rollout of ${version}: modreg rollout status ${moduleId} ${version}; --all-at-once would have released it to all machines`;
}
