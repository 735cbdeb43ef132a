import type { DatabaseSync } from 'node:sqlite';
import { expectArgument, expectMembers, oneOf, optional, TEXT } from '../../core/text/argument.ts';
import { expectSpelling } from '../../core/text/spelling.ts';
import { BUSY_TIMEOUT, openDatabase } from '../../sqlite/database.ts';
import { SCHEMA } from './catalogue-schema.ts';

const BUSY_TIMEOUT_MS = 5000;
const OPTIONS = {
  mode: optional(oneOf('create', 'write', 'read')),
  busyTimeoutMs: optional(BUSY_TIMEOUT),
};

/** Opens the file of a `Catalogue`. Throws a TypeError or a RangeError for an argument that no compiler checked. */
export function openCatalogueDatabase(
  path: string,
  options: { readonly mode?: 'create' | 'write' | 'read'; readonly busyTimeoutMs?: number },
): DatabaseSync {
  expectArgument('new Catalogue()', 'path', path, TEXT);
  expectMembers('new Catalogue()', 'options', options, OPTIONS);
  expectSpelling('new Catalogue()', 'options', options, OPTIONS);
  const { mode = 'write', busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  return openDatabase(path, SCHEMA, { mode, busyTimeoutMs });
}
