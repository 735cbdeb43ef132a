import type { Installed } from '../../../src/core/machine/activation.ts';
import type { Lifecycle, Step } from '../../../src/agent/supervision/lifecycle.ts';

/** A step in words: what is written; the commands; the next state. */
export function stepInWords({ row, marks, commands, next }: Step): string {
  const written = row === undefined ? [] : [`write ${rowInWords(row)}`];
  const marked = marks ? [`mark ${inWords(marks.current)}${afterFailure(marks.failed)}`] : [];
  const done = commands.length === 0 ? [] : [commands.map(commandInWords).join(', ')];
  return [...written, ...marked, ...done, stateInWords(next)].join('; ');
}

function commandInWords(one: Step['commands'][number]): string {
  switch (one.command) {
    case 'start':
      return `start ${one.run.version}`;
    case 'stop':
      return 'stop';
    case 'wait':
      return `wait ${one.ms}`;
    case 'done':
      return `done ${one.action}`;
    case 'fail':
      return `fail ${one.action} (${one.blame}, ${one.running ?? 'none'}): ${one.reason}`;
    case 'report':
      return `report ${one.version} (${one.blame}, ${one.running ?? 'none'}): ${one.reason}`;
    case 'works':
      return `${one.version} works${one.isProven ? ' and is proven' : ''}`;
  }
}

/** A version, and what is known of it. */
function inWords({ version, isProven, hasFailed, isUndecided }: Installed): string {
  const marks = [isProven && 'proven', hasFailed && 'failed', isUndecided && 'undecided'];
  return [version, ...marks.filter((mark) => mark !== undefined)].join(' ');
}

function afterFailure(failed: Installed | undefined): string {
  return failed ? ` after the failure of ${inWords(failed)}` : '';
}

function rowInWords(row: Exclude<Step['row'], undefined>): string {
  if (row === null) return 'nothing';
  const before = row.previous ? ` after ${inWords(row.previous)}` : '';
  const failed = row.phase === 'rolling-back' ? '' : afterFailure(row.failed);
  switch (row.phase) {
    case 'trying':
      return `trying ${inWords(row.candidate)} (${row.attempts})${before}${failed}`;
    case 'rolling-back':
      return `rolling-back ${inWords(row.previous)}`;
    case 'stable': {
      const { settled } = row;
      const how = settled?.isUndecided ? 'undecided' : settled?.fault ? 'failed' : 'done';
      const action = settled ? `, ${settled.action} ${how}` : '';
      return `stable ${inWords(row.current)}${before}${failed}${action}`;
    }
  }
}

function stateInWords(state: Lifecycle): string {
  switch (state.state) {
    case 'idle':
      return 'idle';
    case 'held':
      return state.restart === undefined ? 'held' : 'held to restart';
    case 'starting':
    case 'running':
      return `${state.state} ${state.run.version}`;
    case 'backing-off':
      return `backing-off ${crashes(state.crashes.count)}`;
    case 'trying':
    case 'probation':
      return `${state.state} ${state.row.candidate.version}`;
    case 'rolling-back':
      return `rolling-back ${state.row.previous.version}`;
    case 'stopping': {
      const { after: then } = state;
      const count = then.to === 'backing-off' ? then.crashes.count : 0;
      return `stopping → ${then.to}${count > 0 ? ` ${crashes(count)}` : ''}`;
    }
  }
}

function crashes(count: number): string {
  return `(${count} ${count === 1 ? 'crash' : 'crashes'})`;
}
