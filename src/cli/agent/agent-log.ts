import { dirname, join } from 'node:path';
import { logWriter, type LogWriter } from '../../logs/log-writer.ts';
import type { LoggedLine } from '../poll/poll-report.ts';

/** The file of the log, beside `machine.db`: a flood of lines cannot affect what is decided. */
export const LOG_FILE = 'logs.db';

/** Where the agent of the machine whose state is at `statePath` writes each line that it prints. */
export function agentLog(
  statePath: string,
  onTrouble: (reason: string) => void,
): { readonly onLine: (line: LoggedLine) => void; readonly close: LogWriter['close'] } {
  const writer = logWriter(join(dirname(statePath), LOG_FILE), onTrouble);
  return {
    onLine: ({ at, level, target, text }) => {
      writer.write({ at, severity: level, module: target, text });
    },
    close: () => writer.close(),
  };
}
