import type { Lifecycle, Step } from '../../../src/agent/supervision/lifecycle.ts';

/** A step in words: what is written; the commands; the next state. */
export function stepInWords({ row, commands, next }: Step): string {
  const written = row === undefined ? [] : [`write ${rowInWords(row)}`];
  const done = commands.length === 0 ? [] : [commands.map(commandInWords).join(', ')];
  return [...written, ...done, stateInWords(next)].join('; ');
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
      return `report ${one.version}`;
  }
}

function rowInWords(row: Exclude<Step['row'], undefined>): string {
  if (row === null) return 'nothing';
  const before = row.previous ? ` after ${row.previous.version}` : '';
  switch (row.phase) {
    case 'trying':
      return `trying ${row.candidate.version} (${row.attempts})${before}`;
    case 'rolling-back':
      return `rolling-back ${row.previous.version}`;
    case 'stable': {
      const how = row.settled?.fault ? 'failed' : 'done';
      return `stable ${row.current.version}${before}${row.settled ? `, ${row.settled.action} ${how}` : ''}`;
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
