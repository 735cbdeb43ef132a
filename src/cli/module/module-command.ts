import { copyFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import type { CheckedPackage } from '../../agent/check-package.ts';
import type { Platform, Result } from '../../core/index.ts';
import { unwritableWords } from '../../core/text/file-words.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { readRegularFile, STDIN } from '../../host/document-file.ts';
import { platformOf } from '../../host/list-options.ts';
import { failed, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { jsonLine } from '../base/answer-json.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';
import { isFolder, packFolder, type Packed } from './pack-folder.ts';
import { checkedFor } from './unusable-package.ts';

export interface ModuleCheckOptions extends AnswerOptions {
  readonly platform?: readonly string[];
}

export interface ModulePackOptions extends ModuleCheckOptions {
  readonly out?: string;
}

type Platforms = readonly [Platform, ...Platform[]];

/** `modreg module check <path>`: whether the agents of these platforms can run a folder or an archive. */
export async function moduleCheckCommand(
  path: string,
  options: ModuleCheckOptions,
  world: World,
): Promise<Outcome> {
  const platforms = platformsOf(options, world);
  if (!platforms.ok) return failed(platforms.error);
  const unreadable = unreadableAt(path);
  if (unreadable) return failed(unreadable);
  const checked = isFolder(path)
    ? await withPacked(path, async (archive) => await checkedFor(archive, path, platforms.value))
    : await checkedFor(path, path, platforms.value);
  return outcomeOf(checked, ({ program, ignored }) => {
    const schema = 'modreg/module-check@1';
    const on = platforms.value.join(' and ');
    const line = `${excerpt(path)} can be run on ${on}: ${excerpt(program)}`;
    const json = { schema, path, platforms: platforms.value, program, ignored };
    return { answer: [options.json ? jsonLine(json) : line], notes: ignoredNotes({ ignored }) };
  });
}

/** `modreg module pack <folder>`: an archive of a folder that these platforms can run, with the same bytes for the same content. */
export async function modulePackCommand(
  folder: string,
  options: ModulePackOptions,
  world: World,
): Promise<Outcome> {
  const platforms = platformsOf(options, world);
  if (!platforms.ok) return failed(platforms.error);
  if (!isFolder(folder)) return failed(usage(`${quote(folder)} is not a folder`));
  const out = options.out ?? `${basename(resolve(folder))}.tar.gz`;
  if (!relative(folder, out).startsWith('..')) {
    return failed(usage(`${quote(out)} is in the folder that is packed: name another with --out`));
  }
  const packed = await withPacked(folder, async (archive, about) => {
    const checked = await checkedFor(archive, folder, platforms.value);
    if (!checked.ok) return checked;
    const problem = copied(archive, out);
    return problem ? { ok: false, error: problem } : { ok: true, value: about };
  });
  return outcomeOf(packed, ({ entries, bytes, sha256 }) => {
    const schema = 'modreg/module-pack@1';
    const line = `${excerpt(out)}: ${entries} entries, ${bytes} bytes, sha256:${sha256}`;
    const json = { schema, file: out, entries, bytes, digest: `sha256:${sha256}` };
    return { answer: [options.json ? jsonLine(json) : line] };
  });
}

/** Why neither a folder nor a file can be read there: a pipe would be waited for. */
function unreadableAt(path: string): Problem | undefined {
  if (isFolder(path)) return undefined;
  const file = readRegularFile(path === STDIN ? `./${path}` : path, 0);
  return file.ok ? undefined : file.error;
}

/** Those that are named, else that of this machine. */
function platformsOf(
  { platform = [] }: ModuleCheckOptions,
  world: World,
): Result<Platforms, Problem> {
  const [first, ...others] = platform;
  const one = platformOf(first === undefined ? {} : { platform: first }, world);
  if (!one.ok) return one;
  const rest: Platform[] = [];
  for (const text of others) {
    const parsed = platformOf({ platform: text }, world);
    if (!parsed.ok) return parsed;
    rest.push(parsed.value);
  }
  return { ok: true, value: [one.value, ...rest] };
}

/** Packs a folder into a file that is there while `use` runs. */
async function withPacked<T>(
  folder: string,
  use: (archive: string, packed: Packed) => Promise<Result<T, Problem>>,
): Promise<Result<T, Problem>> {
  const temporary = await mkdtemp(join(tmpdir(), 'modreg-pack-'));
  try {
    const archive = join(temporary, 'package.tar.gz');
    const packed = await packFolder(folder, archive);
    return packed.ok ? await use(archive, packed.value) : packed;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

function copied(archive: string, out: string): Problem | undefined {
  try {
    // A pipe without a reader would be waited for.
    if (statSync(out, { throwIfNoEntry: false })?.isFile() === false) {
      return unwritable(out, 'not a regular file');
    }
    copyFileSync(archive, out);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return unwritable(out, code);
  }
}

function unwritable(out: string, reason: string): Problem {
  const message = `the file ${quote(out)} ${unwritableWords(reason)}`;
  return { severity: 'error', kind: 'unreadable-file', message };
}

function ignoredNotes({ ignored }: Pick<CheckedPackage, 'ignored'>): string[] {
  if (ignored.length === 0) return [];
  const fields = ignored.map((field) => excerpt(field)).join(', ');
  return [`note: modreg does not read these fields of its meta.json: ${fields}`];
}
