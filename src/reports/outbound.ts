import { randomUUID } from 'node:crypto';
import { quote } from '../core/text/quote.ts';
import { PacedSender } from '../logs/paced-sender.ts';
import { DatabaseError } from '../sqlite/database-error.ts';
import { setAside } from '../sqlite/set-aside.ts';
import { openOutbound, type OutboundFile } from './outbound-file.ts';
import { ReportSender, type Reporter } from './report-sender.ts';

/** The time until the machine looks again what has happened: machines that change at once do not report at once. */
const LEAST_TURN_MS = 15_000;
const TURN_SPREAD_MS = 15_000;

/** Reports the state of a machine and the outcomes of its actions, from the queue at `path`. */
export function outbound(path: string, reporter: Reporter): PacedSender<OutboundFile> {
  const { clock, random } = reporter;
  const sender = new ReportSender(reporter, randomUUID());
  sender.begin(() => open(path, reporter));
  return new PacedSender(clock, {
    open: () => open(path, reporter),
    sender: () => sender,
    // After a power failure, all machines of a site start at once.
    beforeFirst: async (pause) => await pause.sleep(random() * TURN_SPREAD_MS),
    rest: async (pause) => await pause.sleep(LEAST_TURN_MS + random() * TURN_SPREAD_MS),
  });
}

/** A damaged queue is set aside: the registry gets the state, and outcomes from now on. */
function open(path: string, { onNotice }: Reporter): OutboundFile {
  try {
    return openOutbound(path);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'damaged') throw error;
    const aside = quote(setAside(path));
    onNotice('warn', `${error.message}; it is now ${aside}, and a new queue of reports begins`);
    return openOutbound(path);
  }
}
