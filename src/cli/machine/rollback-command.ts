import { parseVersion } from '../../core/index.ts';
import { parseDuration } from '../../core/text/duration.ts';
import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { rollBack } from '../../host/requests/rollback.ts';
import { rollbackDocument } from '../../host/requests/request-documents.ts';
import { rollbackLines } from '../../host/requests/request-words.ts';
import { jsonLine } from '../base/answer-json.ts';
import { requesterIn } from '../base/operator.ts';

export interface RollbackOptions {
  readonly json?: true;
  readonly for?: string;
  readonly to?: string;
}

/** `modreg rollback <module>`: the previous version, or the one of `--to`, replaces the deployed one. What the command prints is what the planner decides. */
export function rollbackCommand(named: string, options: RollbackOptions, world: World): Outcome {
  const term = options.for === undefined ? undefined : parseDuration(options.for);
  if (term && !(term.ok && term.value > 0)) {
    return failed(
      usage(`--for: ${term.ok ? 'a rollback that lasts no time does nothing' : term.error}`),
    );
  }
  const wanted = options.to === undefined ? undefined : parseVersion(options.to);
  if (wanted?.ok === false) return failed(usage(`--to: ${wanted.error.message}`));
  const wish = { termMs: term?.value, wanted: wanted?.value, requester: requesterIn(world) };
  const made = rollBack(named, wish, world);
  if (!made.ok) return failed(...made.error);
  if (options.json) {
    return { answer: [jsonLine(rollbackDocument(made.value))], notes: [], problems: [] };
  }
  const { row, from } = made.value;
  const notes = [`note: modreg quarantine lift ${row.moduleId} ${from} undoes this`];
  return { answer: rollbackLines(made.value), notes, problems: [] };
}
