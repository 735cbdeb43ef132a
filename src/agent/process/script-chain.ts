import { closeSync, openSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import { firstLineOf, headOf, isElf } from './interpreter.ts';

/** How many scripts Linux follows from a program to what interprets them (`exec_binprm`; one more is ELOOP). */
const MOST_SCRIPTS = 5;

/**
 * Why the interpreter of the script `program`, which runs in `folder`, leads to no program, in words; undefined if it does, or if what a
 * machine has decides it: only files in `folder` are followed (D476).
 */
export function endlessScript(
  program: string,
  interpreter: string,
  folder: string,
): string | undefined {
  const named = `its first line names ${excerpt(interpreter)}, which`;
  let path = fileInFolder(interpreter, folder);
  let current = interpreter;
  if (path !== undefined && path === realpathSync(program)) return `${named} is the script itself`;
  for (let scripts = 1; path !== undefined; scripts += 1) {
    const to = current === interpreter ? '' : ` leads to ${excerpt(current)}, which`;
    if (!isExecutable(path)) return `${named}${to} is not executable`;
    const { isProgram, next } = readBy(path);
    if (isProgram) return undefined;
    if (next === undefined) return `${named}${to} is neither a program nor a script`;
    if (scripts === MOST_SCRIPTS)
      return `${named} leads to no program: Linux follows at most ${MOST_SCRIPTS} scripts`;
    path = fileInFolder(next, folder);
    current = next;
  }
  return undefined;
}

/** The path of a file in the folder, without links; undefined if it is elsewhere, or no file. */
function fileInFolder(named: string, folder: string): string | undefined {
  try {
    const path = realpathSync(resolve(folder, named));
    const isInside = path.startsWith(`${realpathSync(folder)}/`);
    return isInside && statSync(path).isFile() ? path : undefined;
  } catch {
    // What is not there, or may not be read, is said by other checks.
    return undefined;
  }
}

/** Whether any user may start the file. Its mode is that of the package, and the user is of the machine. */
function isExecutable(path: string): boolean {
  return (statSync(path).mode & 0o111) !== 0;
}

/** Whether a file is a program, or what its first line names; undefined if it names nothing. */
function readBy(path: string): { readonly isProgram: boolean; readonly next: string | undefined } {
  const file = openSync(path, 'r');
  try {
    const head = headOf(file);
    return { isProgram: isElf(head), next: firstLineOf(head)?.interpreter };
  } finally {
    closeSync(file);
  }
}
