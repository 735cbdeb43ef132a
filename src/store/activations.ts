import type { ModuleId } from '../core/index.ts';
import type { Activation } from '../core/machine/activation.ts';
import { translated } from '../sqlite/database.ts';
import { jsonIn } from '../sqlite/stored-value.ts';
import { writeTo, type MachineFile } from './machine-file.ts';
import { isNumber, isText, objectOf, oneOf, optional, type Shape } from './shape.ts';

/** What the agent has on disk about a module entry. An entry whose `module_id` changes is another one. */
export interface ActivationRecord {
  readonly moduleId: ModuleId;
  readonly activation: Activation;
}

const isMark = optional(oneOf(true));
const installed = objectOf({
  version: isText,
  root: isText,
  isProven: isMark,
  hasFailed: isMark,
  isUndecided: isMark,
});
const fault = objectOf({ reason: isText, blame: oneOf('release', 'machine') });
const stable = objectOf({
  phase: oneOf('stable'),
  current: installed,
  previous: optional(installed),
  settled: optional(
    objectOf({
      action: isText,
      fault: optional(fault),
      version: optional(isText),
      isUndecided: isMark,
    }),
  ),
  failed: optional(installed),
});
const trying = objectOf({
  phase: oneOf('trying'),
  action: isText,
  candidate: installed,
  previous: optional(installed),
  attempts: isNumber,
  failed: optional(installed),
});
const rollingBack = objectOf({
  phase: oneOf('rolling-back'),
  action: isText,
  candidate: installed,
  previous: installed,
  fault,
});
const shape: Shape = (value) => stable(value) || trying(value) || rollingBack(value);

const CONTENT = { table: 'activations', key: 'name', column: 'content' } as const;

function isActivation(value: unknown): value is Activation {
  return shape(value);
}

/** What modreg's own agent runs, by the name of the module entry. Throws a DatabaseError if the file cannot be used. */
export function activationsIn({ path, sql }: MachineFile): ReadonlyMap<string, ActivationRecord> {
  const rows = translated(path, () => sql.all('SELECT * FROM activations ORDER BY name'));
  return new Map(
    rows.map((row) => [
      String(row['name']),
      {
        // A cast: only ids of modules are written.
        moduleId: String(row['module_id']) as ModuleId,
        activation: jsonIn(row, CONTENT, { path }, isActivation),
      },
    ]),
  );
}

/**
 * Replaces what the agent runs for a module entry; undefined removes it. It is on disk when this returns. Throws a
 * DatabaseError if the file cannot be used.
 */
export function noteActivation(
  file: MachineFile,
  name: string,
  record: ActivationRecord | undefined,
): void {
  const { sql } = file;
  writeTo(file, () => {
    if (!record) {
      sql.run('DELETE FROM activations WHERE name = ?', name);
      return;
    }
    const { moduleId, activation } = record;
    sql.run(WRITE, name, moduleId, JSON.stringify(activation));
  });
}

const WRITE = `
  INSERT INTO activations (name, module_id, content) VALUES (?, ?, ?)
  ON CONFLICT DO UPDATE SET module_id = excluded.module_id, content = excluded.content`;
