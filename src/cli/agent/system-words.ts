import type { FileReport } from '../../agent/system/apply-files.ts';
import type { SystemEvent } from '../../agent/system/system-event.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { Line } from '../poll/event-words.ts';

const DONE: Readonly<Record<FileReport['state'], string>> = {
  unchanged: 'unchanged',
  written: 'written',
  restored: 'restored to what it was before modreg',
  removed: 'removed',
  'left-alone': 'left alone',
  failed: 'not changed',
};

/** What has become of a managed file, and what to do if it was left alone. */
export function describeFile({ state, reason }: Pick<FileReport, 'state' | 'reason'>): string {
  if (reason === undefined) return DONE[state];
  const next = state === 'left-alone' ? '; delete the file to have modreg manage it again' : '';
  return `${DONE[state]}: ${reason}${next}`;
}

const CHANGES = {
  connect: ['connects to the network', 'cannot connect to the network'],
  'open-hotspot': ['opens the hotspot', 'cannot open the hotspot'],
  'close-hotspot': ['closes the hotspot', 'cannot close the hotspot'],
} as const;

/** The line of the log for an event about the settings of the system. */
export function systemLine(event: SystemEvent): Line {
  if (event.kind === 'system-trouble') {
    return { level: 'warn', text: `settings of the system: ${excerpt(event.reason)}` };
  }
  const level = event.reason === undefined ? 'info' : 'warn';
  if (event.kind === 'system-file') {
    return { level, text: `${excerpt(event.path)}: ${describeFile(event)}` };
  }
  const [done, failed] = CHANGES[event.change];
  const ssid = excerpt(event.ssid);
  if (event.reason === undefined) return { level, text: `${done} ${ssid}` };
  return { level, text: `${failed} ${ssid}: ${excerpt(event.reason)}` };
}
