import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJson } from '../../config/text/json-document.ts';
import { positionIn } from '../../config/text/position.ts';
import {
  parseReadiness,
  parseRestartStatus,
  type Readiness,
} from '../../core/machine/readiness.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { describeValue, quote } from '../../core/text/quote.ts';
import type { Result } from '../../core/text/result.ts';
import { wrongRelease } from './install-failure.ts';

/** The file in which a package says how it is run. */
export const META = 'meta.json';
/** The file of an npm package. */
export const PACKAGE = 'package.json';

/** What a package says about itself. */
export interface Manifest {
  /** Relative to the package; undefined if it names none. */
  readonly program: string | undefined;
  /** The file that names the program. */
  readonly from: typeof META | typeof PACKAGE;
  /** A program that must have succeeded once before the first start, relative to the package. */
  readonly firstRun: string | undefined;
  readonly ready: Readiness;
  readonly stopTimeoutMs: number | undefined;
  /** Where the program says whether it may be restarted; undefined if it does not. */
  readonly restartStatus: string | undefined;
  /** The fields of `meta.json` that modreg does not read. */
  readonly ignored: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields of `meta.json`. */
export const FIELDS: ReadonlySet<string> = new Set([
  '$schema',
  'entrypoint',
  'first_run',
  'ready',
  'stop_timeout',
  'restart_status',
]);

/** Larger ones would block the process while they are parsed. */
const LARGEST = 256 * 1024;

/** The first of these unknown fields that has nearly the name of one of modreg's, in words; undefined if none has. */
export function typoIn(ignored: readonly string[]): string | undefined {
  for (const field of ignored) {
    const meant = nearestWord(field, FIELDS);
    if (meant === undefined) continue;
    return `${META} has the unknown field ${quote(field)}; did you mean ${meant} ?`;
  }
  return undefined;
}

/** Reads `meta.json`, and `package.json` for a program that the former does not name. Throws a refusal. */
export function readManifest(root: string): Manifest {
  const meta = readFields(root, META);
  const program = textOf(meta, 'entrypoint');
  const own = {
    firstRun: textOf(meta, 'first_run'),
    ready: parsedText(meta, 'ready', parseReadiness) ?? { kind: 'none' },
    stopTimeoutMs: parsedText(meta, 'stop_timeout', parseDuration),
    restartStatus: parsedText(meta, 'restart_status', parseRestartStatus),
    ignored: Object.keys(meta).filter((name) => !FIELDS.has(name)),
  };
  if (program !== undefined) return { program, from: META, ...own };
  return { program: binOf(readFields(root, PACKAGE)), from: PACKAGE, ...own };
}

/** The fields of a JSON file in a package; none if it does not exist. Fields of other programs are ignored. */
function readFields(root: string, file: string): Fields {
  const text = readText(join(root, file), file);
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badManifest(file, `is not JSON${syntaxErrorIn(text)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw badManifest(file, `is ${describeValue(value)}, expected an object`);
}

/** The first error that a reader of JSON with comments finds, with its position; empty if only the comments are wrong. */
function syntaxErrorIn(text: string): string {
  const [finding] = readJson(text).findings;
  if (!finding) return ', because it has comments';
  const { line, column } = positionIn(text, finding.offset);
  return `: ${line}:${column} ${finding.message.replace(/^not JSON: /, '')}`;
}

function readText(path: string, file: string): string | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) throw badManifest(file, 'is not a file');
    if (stats.size <= LARGEST) return readFileSync(path, 'utf8');
    throw badManifest(file, `has ${stats.size} bytes, expected at most ${LARGEST}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw badManifest(file, 'is a link to itself');
    throw error;
  }
}

function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || (typeof value === 'string' && value !== '')) return value;
  throw badManifest(META, `has ${describeValue(value)} as ${name}, expected text`);
}

function parsedText<T>(
  fields: Fields,
  name: string,
  parse: (text: string) => Result<T, string>,
): T | undefined {
  const text = textOf(fields, name);
  const parsed = text === undefined ? undefined : parse(text);
  if (parsed?.ok === false) throw badManifest(META, `${name}: ${parsed.error}`);
  return parsed?.value;
}

/** The program of an npm package: its only one, or the one with its name. */
function binOf({ bin, name }: Fields): string | undefined {
  if (bin === undefined || typeof bin === 'string') return bin;
  const programs = Object.entries(Object(bin) as Fields);
  const own = typeof name === 'string' ? name.replace(/^@[^/]*\//, '') : undefined;
  const [, path] = programs.find(([program]) => program === own || programs.length === 1) ?? [];
  if (typeof path === 'string') return path;
  const names = programs.slice(0, 5).map(([program]) => quote(program));
  throw badManifest(
    PACKAGE,
    `has the programs ${names.join(', ')} under bin, and none with its name`,
  );
}

function badManifest(file: string, reason: string): Error {
  return wrongRelease('bad-manifest', `the package's ${file} ${reason}`);
}
