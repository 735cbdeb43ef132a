import { excerpt } from '../../core/text/quote.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { withNearest } from '../../site/unknown-release.ts';
import { signReleases, type SignOptions } from '../../site/sign.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { changedFileNotes } from './changed-file-notes.ts';

/** `modreg registry sign <module_id> [version]`: shows what signatures of releases are over; with a key, adds them. */
export async function signCommand(
  moduleIdText: string,
  version: string | undefined,
  options: SignOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  const signed = await signReleases(moduleIdText, version, options, world);
  const found = await withNearest(signed, { module: moduleIdText, version }, options, world);
  return outcomeOf(found, ({ moduleId, releases, skipped, seen, counts }) => {
    if (options.json) {
      const json = { schema: 'modreg/registry-sign@1', module_id: moduleId, seen };
      const each = releases.map(({ keyIds, ...one }) => ({ ...one, signed_by: keyIds }));
      return {
        answer: [jsonLine({ ...json, signed: counts?.signed ?? 0, releases: each, skipped })],
      };
    }
    const shown = releases.flatMap(({ text, keyIds }) => {
      const [, , of = '', time = '', ...files] = text.trimEnd().split('\n');
      const by = keyIds.length === 0 ? 'unsigned' : `signed by ${keyIds.join(', ')}`;
      return [`${moduleId} ${of}, published ${time}, ${by}`, ...files.map((file) => `  ${file}`)];
    });
    const note = `note: compare the digests with those of your files; the same command with --key <file> --seen ${seen} signs exactly this`;
    const sum = counts && `${moduleId}: ${counts.signed} signed, ${counts.unchanged} unchanged`;
    return {
      answer: [...shown, ...(sum === undefined ? [] : [sum])],
      notes: [
        ...skipped.map(
          (one) =>
            `note: ${moduleId} ${excerpt(one)} cannot be signed: a file has no size, or it cannot be read`,
        ),
        ...(counts ? changedFileNotes(options, world) : [note]),
      ],
    };
  });
}
