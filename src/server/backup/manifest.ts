import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import type { Result } from '../../core/index.ts';
import { jsonPointer } from '../../core/text/json-pointer.ts';
import { quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { Contents } from './catalogue-check.ts';
import { PART, type FileSummary } from './durable-files.ts';

const SCHEMA = 'modreg/registry-backup@1';
/** The database of a backup. Its name has a part of its sha256, so that a later one does not replace it. */
export const DATABASE: RegExp = /^registry-[0-9a-f]{16}\.db$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** What a backup contains: as JSON in `manifest.json`, which is written last. */
export interface Manifest {
  readonly schema: typeof SCHEMA;
  readonly created_at: string;
  /** The id in the database: that of the registry which was copied. */
  readonly history: string;
  readonly sequence: number;
  readonly modules: number;
  readonly releases: number;
  readonly tokens: number;
  readonly database: FileSummary & { readonly name: string };
  readonly files: readonly FileSummary[];
}

const count = v.pipe(
  v.number('expected a number'),
  v.safeInteger('expected a whole number'),
  v.minValue(0, 'expected 0 or more'),
);
const sha256 = v.pipe(v.string('expected text'), v.regex(SHA256, 'expected 64 hexadecimal digits'));

const manifest: v.GenericSchema<unknown, Manifest> = v.strictObject(
  {
    schema: v.literal(SCHEMA, `expected "${SCHEMA}"`),
    created_at: v.string('expected text'),
    history: v.string('expected text'),
    sequence: count,
    modules: count,
    releases: count,
    tokens: count,
    database: v.strictObject({
      name: v.pipe(
        v.string('expected text'),
        v.regex(DATABASE, 'expected registry-<16 digits>.db'),
      ),
      size: count,
      sha256,
    }),
    files: v.array(v.strictObject({ sha256, size: count }), 'expected a list'),
  },
  'expected the fields of a manifest',
);

export function manifestPath(folder: string): string {
  return `${folder}/manifest.json`;
}

export function manifestOf(
  contents: Contents,
  database: Manifest['database'],
  now: number,
): Manifest {
  const { history, sequence, modules, releases, tokens, files } = contents;
  return {
    schema: SCHEMA,
    created_at: formatTime(now),
    history,
    sequence,
    modules,
    releases,
    tokens,
    database,
    files: Array.from(files, ([hash, size]) => ({ sha256: hash, size })),
  };
}

export function databaseOf({ size, sha256: hash }: FileSummary): Manifest['database'] {
  return { name: `registry-${hash.slice(0, 16)}.db`, size, sha256: hash };
}

export function writeManifest(folder: string, value: Manifest): void {
  const path = manifestPath(folder);
  const access = { mode: 0o600, part: path + PART };
  replaceFile(path, `${JSON.stringify(value, undefined, 2)}\n`, access);
}

/** The manifest of the backup in `folder`; the error is one escaped line. Undefined if there is none. */
export function readManifest(folder: string): Result<Manifest, string> | undefined {
  const path = manifestPath(folder);
  let text: string;
  try {
    // Node aborts if it cannot close a file that it reads as text.
    text = readFileSync(path).toString();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  const parsed = v.safeParse(manifest, parse(text));
  if (parsed.success) return { ok: true, value: parsed.output };
  const [{ path: place = [], message }] = parsed.issues;
  const keys = place.map(({ key }) => key as string | number);
  return { ok: false, error: `${quote(path)}: ${jsonPointer(keys)} ${message}`.replace('  ', ' ') };
}

/** Undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
