import { realpathSync } from 'node:fs';
import { quote } from '../../core/text/quote.ts';
import { backUp } from '../../server/backup/backup.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { countOf } from '../../base/count.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import {
  databaseProblem,
  withCatalogue,
  type CatalogueOptions,
} from '../../site/catalogue-options.ts';
import { damageProblem, repairOfFiles } from '../../site/damage.ts';

/** `modreg registry backup <folder>`: copies the registry and its files, also while it is served. */
export async function backupCommand(
  folder: string,
  options: CatalogueOptions & AnswerOptions,
  world: World,
): Promise<Outcome> {
  if (folder === '') return failed(usage('found "" as the folder'));
  // Opened first for its errors, and so that an earlier schema is upgraded.
  const opened = withCatalogue(options, world, { mode: 'write' }, (catalogue) => {
    return { ok: true, value: realpathSync(catalogue.path) };
  });
  if (!opened.ok) return failed(opened.error);
  const { value: path } = opened;
  try {
    const result = await backUp(path, folder, world.clock());
    if (result.kind === 'other-folder') {
      const message = `${quote(folder)} contains ${quote(result.name)}, so it is not a backup; nothing was changed: name a new folder`;
      return failed(usage(message));
    }
    if (result.kind !== 'done') {
      const what = `${quote(path)} is damaged, so nothing was backed up`;
      const hint = result.kind === 'damaged-files' ? repairOfFiles(path) : undefined;
      return failed(damageProblem(what, result.findings, hint));
    }
    const { manifest } = result;
    const { modules, releases, files, sequence } = manifest;
    const line = `${countOf(modules, 'module')}, ${countOf(releases, 'release')} and ${countOf(files.length, 'file')} are in ${quote(folder)}, up to sequence ${sequence}`;
    const answer = options.json ? jsonLine({ ...manifest, folder }) : line;
    return { answer: [answer], notes: [], problems: [] };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return failed(databaseProblem(error));
  }
}
