import { describeDuration } from './duration.ts';
import { formatTime, isTime } from './rfc3339.ts';

/** When a time is read, and the time zone of those who read it. */
export interface TimeContext {
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** The IANA name of the policy's time zone; undefined if it has none. */
  readonly timeZone: string | undefined;
}

const SECOND = 1000;

/** What people are told about a time. */
export interface ToldTime {
  /** In UTC, to the second. */
  readonly utc: string;
  /** The time of day in their time zone; undefined if the clock there shows UTC. */
  readonly local: { readonly day: string | undefined; readonly clock: string } | undefined;
  /** The time until then, if it is ahead. */
  readonly ahead: string | undefined;
}

export function toldTime(ms: number, { now, timeZone }: TimeContext): ToldTime {
  // What changes at a time ahead has changed at the second that is shown, as plan --at shows.
  const shown = SECOND * (ms > now ? Math.ceil(ms / SECOND) : Math.floor(ms / SECOND));
  return {
    utc: formatTime(shown),
    local: timeZone === undefined ? undefined : localTime(shown, timeZone),
    ahead: ms > now ? `in ${describeDuration(ms - now)}` : undefined,
  };
}

/**
 * A time for people: in UTC, to the second, with the time of day in their time zone and, if it is ahead, the time until then:
 * `2026-11-22T01:00:00Z (02:00 Europe/Berlin, in 1 h 15 min)`.
 */
export function describeTime(ms: number, context: TimeContext): string {
  if (!isTime(ms)) return formatTime(ms);
  const { utc, ...told } = toldTime(ms, context);
  const notes = notesOn(told);
  return notes === '' ? utc : `${utc} (${notes})`;
}

/** `02:00 Europe/Berlin, in 1 h 15 min`. */
export function notesOn({ local, ahead }: Pick<ToldTime, 'local' | 'ahead'>): string {
  const there = local && [local.day, local.clock].filter((part) => part !== undefined).join(' ');
  return [there, ahead].filter((note) => note !== undefined).join(', ');
}

/**
 * A sentence in which what changes as time passes is data: `times` stand between the `facts`, which are one more. Two sentences that
 * differ only in their times say the same.
 */
export interface Words {
  readonly facts: readonly string[];
  /** In milliseconds since the epoch; an age as text. */
  readonly times: readonly (number | string)[];
}

/** A sentence; a text has no times. */
export type Said = string | Words;

/** A time in a sentence, in milliseconds since the epoch, or an age as text. */
export function passing(time: number | string): Words {
  return { facts: ['', ''], times: [time] };
}

/** The parts of a sentence that are there, one after the other. */
export function joined(parts: readonly (Said | undefined)[], separator: string): Said {
  let said: Said | undefined;
  for (const part of parts) {
    if (part === undefined) continue;
    if (said === undefined) said = part;
    // Most sentences have no times, and a plan has many.
    else if (typeof said === 'string' && typeof part === 'string') said += separator + part;
    else said = say`${said}${separator}${part}`;
  }
  return said ?? '';
}

/** A template whose values may have times. */
export function say([head = '', ...texts]: TemplateStringsArray, ...values: readonly Said[]): Said {
  const facts = [head];
  const times: (number | string)[] = [];
  for (const [place, value] of values.entries()) {
    const [first = '', ...rest] = typeof value === 'string' ? [value] : value.facts;
    facts.push(`${facts.pop()}${first}`, ...rest);
    if (typeof value !== 'string') times.push(...value.times);
    facts.push(`${facts.pop()}${texts[place]}`);
  }
  return times.length === 0 ? facts.join('') : { facts, times };
}

/** The text of a sentence, with its times in UTC, as it is recorded and printed as JSON, or as `shown`. */
export function textOf(said: Said, shown: (ms: number) => string = formatTime): string {
  if (typeof said === 'string') return said;
  const [first = '', ...facts] = said.facts;
  return facts.reduce((text, fact, place) => {
    const time = said.times[place] ?? '';
    return `${text}${typeof time === 'number' ? shown(time) : time}${fact}`;
  }, first);
}

/** The text of a sentence with its times described for people. */
export function readable(said: Said, context: TimeContext): string {
  return textOf(said, (ms) => describeTime(ms, context));
}

/** A sentence as text, and as data if it has times. */
export function toldAs(said: Said): { readonly text: string; readonly words?: Words } {
  return typeof said === 'string' ? { text: said } : { text: textOf(said), words: said };
}

/** What of a sentence stays as time passes. */
export function lasting({ facts }: Pick<Words, 'facts'>): string {
  return facts.join('…');
}

/** A sentence as data. */
export function wordsOf(said: Said): Words {
  return typeof said === 'string' ? { facts: [said], times: [] } : said;
}

/** `02:00 Europe/Berlin`, with the date if it is not the one in UTC; undefined if the clock there shows UTC. */
function localTime(ms: number, timeZone: string): ToldTime['local'] {
  const utc = formatTime(ms);
  const local = clockIn(timeZone)?.format(ms);
  if (local === undefined) return undefined;
  const [day = '', time = ''] = local.split(' ');
  const clock = `${time} ${timeZone}`;
  if (!utc.startsWith(day)) return { day, clock };
  return utc.startsWith(`${day}T${time}`) ? undefined : { day: undefined, clock };
}

/** Formats as `2026-11-22 02:00`. Undefined if the zone, which may be from a damaged record, is not known. */
function clockIn(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    // The Swedish form of a date and time is that of ISO 8601.
    return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
