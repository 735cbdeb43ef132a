import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { publishReleases, type PublishOptions } from '../../site/publish.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { changedFileNotes } from './changed-file-notes.ts';

/** `modreg registry publish <module_id> [version]`: publishes one release from options, or all releases of a file. */
export async function publishCommand(
  moduleIdText: string,
  version: string | undefined,
  options: PublishOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  const publication = await publishReleases(moduleIdText, version, options, world);
  return outcomeOf(publication, ({ moduleId, staged, limits, ...counts }) => {
    const { published, signed, yanked, unchanged } = counts;
    const schema = 'modreg/registry-publish@1';
    const more = signed === 0 ? undefined : { signed };
    const begun = staged.length === 0 ? undefined : { rollouts_started: staged };
    const json = { schema, module_id: moduleId, published, ...more, yanked, unchanged, ...begun };
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

/** The registry began a rollout by default (D220). */
function stagedNote(moduleId: string, version: string): string {
  return `note: the registry began a rollout of ${version}: modreg rollout status ${moduleId} ${version}; --all-at-once would have released it to all machines`;
}
