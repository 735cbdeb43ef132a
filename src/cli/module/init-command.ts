import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { unwritableWords } from '../../core/text/file-words.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import { shellWord } from '../../base/shell-word.ts';
import { makeFolders } from '../../files/make-folders.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { AnswerOptions } from '../base/outcome.ts';
import { isFolder } from './pack-folder.ts';
import { filesOf, type Template } from './templates.ts';

export interface ModuleInitOptions extends AnswerOptions {
  readonly template: Template;
}

/** `modreg module init <folder>`: writes the files of a new module into a folder that is empty or not there. */
export function moduleInitCommand(folder: string, options: ModuleInitOptions): Outcome {
  const files = filesOf(options.template);
  const problem = written(folder, files);
  if (problem) return failed(problem);
  const paths = files.map(({ path }) => path);
  // The next command would take it as an option.
  const named = folder.startsWith('-') ? `./${folder}` : folder;
  const next = `next: edit ${excerpt(join(folder, 'run'))}, then modreg module check ${shellWord(named)}`;
  const json = { schema: 'modreg/module-init@1', folder, files: paths };
  const line = `${excerpt(folder)}: ${paths.join(', ')}`;
  return { answer: [options.json ? jsonLine(json) : line], notes: [next], problems: [] };
}

const refused = (found: string): Problem =>
  usage(`${found}, expected a new or an empty folder; nothing was written`);

function written(folder: string, files: ReturnType<typeof filesOf>): Problem | undefined {
  if (folder === '') return refused('found "" as the folder');
  try {
    if (existsSync(folder) && !isFolder(folder)) return refused(`${quote(folder)} is not a folder`);
    makeFolders(folder);
    if (readdirSync(folder).length > 0) return refused(`${quote(folder)} is not empty`);
    for (const { path, text, isProgram } of files) {
      const at = join(folder, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, text, { flag: 'wx' });
      if (isProgram) chmodSync(at, 0o755);
    }
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = `the folder ${quote(folder)} ${unwritableWords(code)}`;
    return { severity: 'error', kind: 'unreadable-file', message };
  }
}
