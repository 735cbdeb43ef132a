import { describeAddress } from '../../core/explanation/decision-words.ts';
import { sameAsWords } from '../../core/explanation/words.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { excerpt } from '../../core/text/quote.ts';
import { passing, say, type Said } from '../../core/text/time-words.ts';
import { quarantineEnd } from '../../host/requests/request-words.ts';
import type { Action } from '../../core/index.ts';
import type { PollerEvent } from '../../poller/index.ts';
import type { DatabaseError } from '../../store/index.ts';
import type { PollingEvent } from '../../poller/event.ts';
import { describePolling, problemsIn } from '../plan/polling-words.ts';
import { formatProblem } from '../../base/problem.ts';

import type { Level } from '../base/log-line.ts';

/** A line of the log of `modreg poll`. */
export interface Line<Text extends Said = string> {
  readonly level: Level;
  readonly text: Text;
}

/** The log lines of an event. `action` is the action that an acknowledgement ends, `program` what messages call the program that runs. */
export function linesOf(
  event: PollerEvent,
  action: Action | undefined,
  program = 'its program',
): Line<Said>[] {
  switch (event.kind) {
    case 'acknowledged':
      return action ? outcomeLines(event, action) : [];
    case 'committed':
    case 'superseded':
    case 'progress':
    case 'delivered':
    case 'withdrawn':
      return actionLines(event);
    case 'overdue':
      return warn(`${changeOf(event.action)} takes too long, so ${program} is stopped`);
    case 'configuration-unreadable':
    case 'configuration-readable':
    case 'registry-unavailable':
    case 'registry-available':
    case 'list-unavailable':
    case 'list-available':
    case 'callback-error':
      return pollingLines(event);
    case 'observe-only':
    case 'crash-loop':
    case 'state-unavailable':
    case 'state-available':
    case 'held':
    case 'quarantined':
    case 'failure-reported':
    case 'unknown-acknowledgement':
      return machineLines(event);
  }
}

type MachineEvent = Extract<
  PollerEvent,
  {
    kind:
      | ('observe-only' | 'crash-loop' | 'state-unavailable' | 'state-available')
      | ('held' | 'quarantined' | 'failure-reported' | 'unknown-acknowledgement');
  }
>;

function machineLines(event: MachineEvent): Line<Said>[] {
  switch (event.kind) {
    case 'observe-only':
      return info(
        say`no deployed version was ever recorded, so the first round changes nothing; the next round is at ${passing(event.nextRoundAt)}`,
      );
    case 'crash-loop': {
      const until = passing(event.until);
      return warn(say`started five times in ten minutes, so nothing is done until ${until}`);
    }
    case 'state-unavailable':
      return [{ level: 'error', text: stateTroubleText(event.error) }];
    case 'state-available':
      return info('the state of this machine can be used again');
    case 'held': {
      const { target, direction, to, text, words = text } = event;
      const preposition = direction === 'install' || direction === 'restart' ? 'of' : 'to';
      return info(
        say`${excerpt(target.name)}: the ${direction} ${preposition} ${to} is held: ${words}`,
      );
    }
    case 'quarantined': {
      const { moduleId, version, reason, until, undecided } = event;
      if (undecided) {
        const other = sameAsWords(undecided.sameAs);
        return warn(
          `${moduleId} ${version} is undecided: ${other} fails in the same way: ${reason}`,
        );
      }
      const end = quarantineEnd({ until });
      const lift = `modreg quarantine lift ${moduleId} ${version}`;
      return warn(say`${moduleId} ${version} is in quarantine until ${end} (${lift}): ${reason}`);
    }
    case 'failure-reported':
      return [];
    case 'unknown-acknowledgement':
      return warn(`the outcome of action ${event.id} came after the action had ended`);
  }
}

const REMEDIES: Partial<Record<DatabaseError['kind'], string>> = {
  missing: ': put it back, or start again with a new one',
  unwritable: ': free some space on its disk, or make it writable',
};

function stateTroubleText({ kind, message }: DatabaseError): string {
  const remedy = REMEDIES[kind] ?? '';
  return `${message}; modules keep running, and no action is taken until it can be used again${remedy}`;
}

function actionLines(event: PollerEvent & { readonly action: Action }): Line<Said>[] {
  const change = changeOf(event.action);
  if (event.kind === 'delivered') {
    const again = event.times > 1 ? ` (attempt ${event.times})` : '';
    const { text, words = text } = event.action.reason;
    return info(say`${change}: ${words}${again}`);
  }
  return event.kind === 'withdrawn'
    ? warn(`${change} was withdrawn: it is no longer permitted`)
    : [];
}

function outcomeLines(
  { outcome, retryMs }: PollerEvent & { readonly kind: 'acknowledged' },
  action: Action,
): Line<Said>[] {
  const change = changeOf(action);
  if (outcome.kind === 'done') return info(`${change}: done`);
  const { blame, reason } = outcome;
  if (blame === 'machine') {
    const again = retryMs === undefined ? '' : `, next attempt in ${describeDuration(retryMs)}`;
    return warn(`${change}: not done${again}: ${reason}`);
  }
  if (blame === 'undecided') {
    return warn(`${change}: undecided, the version before it fails in the same way: ${reason}`);
  }
  const what = action.direction === 'restart' ? 'failed' : 'the release failed';
  return [{ level: 'error', text: `${change}: ${what}: ${reason}` }];
}

function pollingLines(event: PollingEvent): Line<Said>[] {
  const text = describePolling(event);
  const isOver = /-(?:available|readable)$/.test(event.kind);
  const lines = text === undefined ? [] : isOver ? info(text) : warn(text);
  // The level says already that it is an error.
  const problems = problemsIn(event)
    .flatMap(formatProblem)
    .map((line) => line.replace(/^error(?=\[)/, ''));
  return [...lines, ...problems.map((problem): Line => ({ level: 'error', text: problem }))];
}

function info(text: Said): Line<Said>[] {
  return [{ level: 'info', text }];
}

function warn(text: Said): Line<Said>[] {
  return [{ level: 'warn', text }];
}

/** Without the deployed version if nothing is deployed, or if it is not known. */
function changeOf({ target, direction, from, to: address }: Action): string {
  const [name, to] = [excerpt(target.name), describeAddress(address)];
  if (direction === 'restart') return `${name}: restart of ${to}`;
  if (from !== undefined) return `${name}: ${direction} ${from} → ${to}`;
  return `${name}: ${direction} ${direction === 'install' ? 'of' : 'to'} ${to}`;
}
