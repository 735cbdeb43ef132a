import type { ModuleId } from '../core/index.ts';
import type { Activation } from '../core/machine/activation.ts';
import type { Statements } from '../sqlite/statements.ts';
import { jsonIn } from './columns.ts';
import { isNumber, isText, objectOf, oneOf, optional, type Shape } from './shape.ts';

/** What the agent has on disk about a module entry. An entry whose `module_id` changes is another one. */
export interface ActivationRecord {
  readonly moduleId: ModuleId;
  readonly activation: Activation;
}

const installed = objectOf({ version: isText, root: isText });
const fault = objectOf({ reason: isText, blame: oneOf('release', 'machine') });
const stable = objectOf({
  phase: oneOf('stable'),
  current: installed,
  previous: optional(installed),
  settled: optional(objectOf({ action: isText, fault: optional(fault) })),
});
const trying = objectOf({
  phase: oneOf('trying'),
  action: isText,
  candidate: installed,
  previous: optional(installed),
  attempts: isNumber,
});
const rollingBack = objectOf({
  phase: oneOf('rolling-back'),
  action: isText,
  candidate: installed,
  previous: installed,
  fault,
});
const shape: Shape = (value) => stable(value) || trying(value) || rollingBack(value);

function isActivation(value: unknown): value is Activation {
  return shape(value);
}

/** By the name of the module entry. */
export function activationsIn(sql: Statements): Map<string, ActivationRecord> {
  const rows = sql.all('SELECT name, module_id, content FROM activations ORDER BY name');
  return new Map(
    rows.map(({ name, module_id: moduleId, content }) => [
      String(name),
      {
        // A cast: only ids of modules are written.
        moduleId: String(moduleId) as ModuleId,
        activation: jsonIn(content, sql, isActivation),
      },
    ]),
  );
}

/** Replaces the record of a module entry; undefined removes it. */
export function noteActivation(
  sql: Statements,
  name: string,
  record: ActivationRecord | undefined,
): void {
  if (!record) {
    sql.run('DELETE FROM activations WHERE name = ?', name);
    return;
  }
  sql.run(
    `INSERT INTO activations (name, module_id, content) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET module_id = excluded.module_id, content = excluded.content`,
    name,
    record.moduleId,
    JSON.stringify(record.activation),
  );
}
