import { statSync } from 'node:fs';
import { join } from 'node:path';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { OUTBOUND_FILE, waitingReports } from '../../outbound/outbound-file.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { findingsOf, type Finding } from './finding.ts';

const { info, warning } = findingsOf('poller');

const FIX =
  'they are sent once the registry takes them; if it denies access, create a token there with modreg registry token create --name <id> --scope machine:<id>, and put it into the credentials file as api_key';

/** Whether the reports of the machine reach its registry (T226). Nothing if it has none to send. */
export function checkReports(home: string): Finding[] {
  const path = join(home, OUTBOUND_FILE);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return [];
  try {
    const waiting = waitingReports(path);
    if (!waiting) return [];
    const found = `its reports wait since ${formatTime(waiting.since)}: ${excerpt(waiting.because, 400)}`;
    return [warning(found, FIX)];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    // The file of an earlier modreg, which the next report upgrades, does not say it.
    if (error.kind === 'missing') return [];
    return [info(`whether its reports wait is not known: ${error.message}`)];
  }
}
