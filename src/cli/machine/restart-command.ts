import { failed, usage, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { labelFor } from '../../host/machine-row.ts';
import { cancelRestart, requestRestart } from '../../host/requests/restart.ts';
import { cancelDocument, restartDocument } from '../../host/requests/request-documents.ts';
import { restartLines } from '../../host/requests/request-words.ts';
import { jsonLine } from '../base/answer-json.ts';
import { requesterIn } from '../base/operator.ts';

export interface RestartOptions {
  readonly json?: true;
  readonly now?: true;
  readonly cancel?: true;
}

/**
 * `modreg restart <module>`: requests a restart of what is deployed, or withdraws the request. What the command prints is
 * what the planner decides with the request.
 */
export function restartCommand(
  named: string,
  { json, now, cancel }: RestartOptions,
  world: World,
): Outcome {
  if (now && cancel) {
    return failed(
      usage('--now requests a restart, and --cancel withdraws the request: pass one of them'),
    );
  }
  if (cancel) return cancelled(cancelRestart(named, world), json);
  const wish = { isImmediate: now ?? false, requester: requesterIn(world) };
  return requested(requestRestart(named, wish, world), json);
}

function requested(restart: ReturnType<typeof requestRestart>, json: true | undefined): Outcome {
  if (!restart.ok) return failed(...restart.error);
  if (json) {
    return { answer: [jsonLine(restartDocument(restart.value))], notes: [], problems: [] };
  }
  const { row, has } = restart.value;
  // What the agent has is finished, and cannot be withdrawn.
  const isFinal = has?.action.direction === 'restart';
  const notes = isFinal ? [] : [`note: modreg restart ${row.name} --cancel withdraws this`];
  return { answer: restartLines(restart.value), notes, problems: [] };
}

function cancelled(row: ReturnType<typeof cancelRestart>, json: true | undefined): Outcome {
  if (!row.ok) return failed(...row.error);
  const answer = json
    ? jsonLine(cancelDocument(row.value))
    : `${labelFor(row.value)} is not restarted: the request is withdrawn`;
  return { answer: [answer], notes: [], problems: [] };
}
