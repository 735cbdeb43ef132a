import { DatabaseError } from '../../sqlite/database-error.ts';
import { reportsWaiting } from '../../host/waiting-reports.ts';
import { findingsOf, type Finding } from './finding.ts';

const { info, warning } = findingsOf('poller');

const FIX =
  'they are sent once the registry takes them; if it denies access, create a token there with modreg registry token create --name <id> --scope machine:<id>, and put it into the credentials file as api_key';

/** Whether the reports of the machine reach its registry (T226). Nothing if it has none to send. */
export function checkReports(home: string): Finding[] {
  try {
    const waiting = reportsWaiting(home);
    return waiting === undefined ? [] : [warning(waiting, FIX)];
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return [info(`whether its reports wait is not known: ${error.message}`)];
  }
}
