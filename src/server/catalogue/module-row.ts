import * as v from 'valibot';
import type { ModuleId } from '../../core/index.ts';
import { expectArgument } from '../../core/text/argument.ts';
import { MODULE_ID, nameOf, namespaceOf } from '../../core/releases/module-id.ts';
import type { Row, Statements } from '../../sqlite/statements.ts';
import {
  jsonObject,
  rowReader,
  text,
  textOrNull,
  whole,
  wholeIn,
} from '../../sqlite/stored-row.ts';

/** A module that has a release. */
export interface ModuleRow {
  readonly id: number;
  readonly generation: number;
}

/** The module with this id; undefined if nothing was ever published for it. */
export function moduleIn(sql: Statements, moduleId: ModuleId): ModuleRow | undefined {
  const row = sql.get(
    'SELECT id, generation FROM modules WHERE namespace = ? AND name = ?',
    namespaceOf(moduleId),
    nameOf(moduleId),
  );
  return row && { id: Number(row['id']), generation: Number(row['generation']) };
}

/** A row of `releases`. Its content is not parsed: a yank needs none of it. */
export const releaseRow = rowReader('releases', {
  id: whole,
  version: text,
  published_at: whole,
  content: text,
  yanked: textOrNull,
});
export type ReleaseRow = ReturnType<typeof releaseRow>;
/** What it reads, for a SELECT. */
export const RELEASE_COLUMNS = `releases.id, version, ${wholeIn('published_at')}, content, yanked`;

export function releaseIn(
  sql: Statements,
  { id }: ModuleRow,
  version: string,
): ReleaseRow | undefined {
  const select = `SELECT ${RELEASE_COLUMNS} FROM releases WHERE module = ? AND version = ?`;
  const row = sql.get(select, id, version);
  return row && releaseRow(row, sql);
}

const artifact = v.looseObject(
  { platform: text, url: text, size: v.optional(whole) },
  'expected an artifact',
);
const contentOfRow = rowReader('releases', {
  content: jsonObject(
    v.looseObject({ artifacts: v.optional(v.array(artifact, 'expected a list of artifacts')) }),
  ),
});

/** The artifacts in the content of a release; undefined if it lists none, and runs on all platforms. */
export function artifactsIn(
  sql: Statements,
  row: Row,
): readonly v.InferOutput<typeof artifact>[] | undefined {
  return contentOfRow(row, sql).content.artifacts;
}

export function addModule(sql: Statements, moduleId: ModuleId): number {
  expectArgument('publish()', 'moduleId', moduleId, MODULE_ID);
  const added = sql.run(
    `INSERT INTO modules (namespace, name, generation, sequence)
     VALUES (?, ?, (SELECT first_generation FROM catalogue), 0)`,
    namespaceOf(moduleId),
    nameOf(moduleId),
  );
  return Number(added.lastInsertRowid);
}

/** Records that a module changed. The result is the sequence number of the change. */
export function touch(sql: Statements, id: number): number {
  const row = sql.get('UPDATE catalogue SET sequence = sequence + 1 RETURNING sequence');
  const sequence = Number(row?.['sequence']);
  sql.run(
    'UPDATE modules SET generation = generation + 1, sequence = ? WHERE id = ?',
    sequence,
    id,
  );
  return sequence;
}

/** Only addModule writes ids, and each is a ModuleId. */
export function moduleIdIn(row: Row): ModuleId {
  return String(row['id']) as ModuleId;
}
