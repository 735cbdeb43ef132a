import {
  accessSync,
  constants,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Result } from '../core/index.ts';
import { excerpt } from '../core/text/quote.ts';
import { createFile, discard, giveName } from '../files/replace-file.ts';
import type { Problem } from '../base/problem.ts';

const MODE = 0o7777;

/** The content of a file as it was read, and as it shall be. */
export interface Replacement {
  readonly from: Uint8Array;
  readonly to: string;
}

/**
 * Replaces the content of the file at `path`, which keeps its mode and its owner; a symbolic link stays. At each moment the file has its
 * old or its new content. Nothing is replaced if the file no longer contains `from`. The new content has a fixed name until it
 * is complete, so that a second process cannot replace the file meanwhile.
 */
export function replaceFile(path: string, { from, to }: Replacement): Result<void, Problem> {
  let part: string | undefined;
  try {
    const target = realpathSync(path);
    // Without this, a file that its owner made read-only would be replaced, because only its folder must be writable.
    accessSync(target, constants.W_OK);
    const name = join(dirname(target), `.${basename(target)}.modreg`);
    if (!created(name, target, to)) return { ok: false, error: edited(path, name) };
    part = name;
    if (!readFileSync(target).equals(from)) return { ok: false, error: changed(path) };
    giveName(part, target);
    part = undefined;
    return { ok: true, value: undefined };
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return { ok: false, error: isGone ? changed(path) : unwritable(path, error) };
  } finally {
    if (part !== undefined) discard(part);
  }
}

/** Writes a file with the mode and the owner of `target`; false if there is one of that name. */
function created(name: string, target: string, content: string): boolean {
  const { mode, uid, gid } = statSync(target);
  const access = { mode: mode & MODE, owner: { uid, gid } };
  try {
    createFile(name, access, (descriptor) => writeFileSync(descriptor, content));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function edited(path: string, name: string): Problem {
  return {
    severity: 'error',
    kind: 'locked',
    message: `${excerpt(path)} is being edited by another process: ${excerpt(name)} exists; nothing was changed`,
    hint: 'run the command again; if no modreg edits the file, remove the one that exists',
  };
}

function changed(path: string): Problem {
  return {
    severity: 'error',
    kind: 'locked',
    message: `${excerpt(path)} was changed by another process meanwhile; that change is kept, and nothing else was changed`,
    hint: 'run the command again',
  };
}

function unwritable(path: string, error: unknown): Problem {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return {
    severity: 'error',
    kind: 'state-write',
    message: `${excerpt(path)} cannot be replaced (${syscall}: ${code}); its content is the old one or the new one, never a part`,
    hint: 'the file and its folder must be writable, and its folder needs space for a copy; a file of another owner is replaced only by root',
  };
}
