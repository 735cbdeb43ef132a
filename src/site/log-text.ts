import { textLine } from '../base/text-line.ts';
import { escapeUnprintable, excerpt } from '../core/text/quote.ts';
import type { SiteLine } from '../registry/site-logs.ts';

/** A line of a machine as text, with the name of the machine if lines of others stand beside it. */
export function logText({ at, level, machine, text, gap }: SiteLine, isNamed: boolean): string {
  const of = isNamed ? `${excerpt(machine)}: ` : '';
  const now = Date.parse(at);
  return textLine({ now, level }, `${of}${gap ? 'gap: ' : ''}${escapeUnprintable(text)}`);
}
