import type { SiteLine, SiteLines } from '../registry/site-logs.ts';
import type { LogSearch } from '../server/logs/search-records.ts';
import { logText } from './log-text.ts';
import type { Answer, SiteFiles } from './site-files.ts';

/** Which lines are asked for; those before `before`, without it the newest. */
export type WantedLogs = Omit<LogSearch, 'limit' | 'size'>;

/** The lines of machines that a registry keeps (D320). */
export interface SiteLogs {
  /** A part of them, the newest first. */
  logs(wanted: WantedLogs): Promise<Answer<SiteLines>>;
  /** The newest 10,000 as text, the newest last, as `modreg fleet logs` prints them. */
  logText(wanted: WantedLogs): Promise<Answer<string>>;
}

/** So many lines are shown at once, fewer if they are long: a page is at most 30 kB, compressed, also if its lines can hardly be. */
const OF_PAGE = { limit: 200, size: { ofAll: 32_000, ofLine: 500 } };
const MOST_LINES = 10_000;
/** As long as what a registry keeps of a machine. */
const LONGEST_TEXT = 16 * 1024 * 1024;
const OF_PART = 1000;

export function logsOf({ lines }: Pick<SiteFiles, 'lines'>): SiteLogs {
  return {
    async logs(wanted) {
      return { ok: true, value: await lines({ ...wanted, ...OF_PAGE }) };
    },
    async logText(wanted) {
      const texts: string[] = [];
      let [before, length] = [wanted.before, 0];
      do {
        const part = await lines({ ...wanted, before, limit: OF_PART });
        const more = part.lines.map((line: SiteLine) => logText(line, !wanted.machine));
        texts.push(...more);
        length += more.reduce((sum, one) => sum + one.length, 0);
        before = part.next ?? undefined;
      } while (before !== undefined && texts.length < MOST_LINES && length < LONGEST_TEXT);
      const oldestFirst = texts.toReversed();
      return { ok: true, value: oldestFirst.map((text) => `${text}\n`).join('') };
    },
  };
}
