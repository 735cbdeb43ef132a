import type { Result } from '../../core/index.ts';
import { loggedWords, type LoggedDecision } from '../../core/plan/logged-decisions.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import {
  describeTime,
  joined,
  passing,
  readable,
  say,
  type TimeContext,
} from '../../core/text/time-words.ts';
import { failed, parseProblem, usage, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { askedTime } from '../../host/asked-time.ts';
import { decisionsAbout, type DecisionsAbout } from '../../host/history/past-decisions.ts';
import { reasonAlone, type ToldDecision } from '../../host/history/told-history.ts';
import { whyDocument } from '../../host/history/why-document.ts';
import { labelFor } from '../../host/machine-row.ts';
import { describeChange } from '../../core/plan/open-action-words.ts';
import { describeFailures } from '../../host/open-action.ts';
import { liftNotes } from '../../host/requests/lift-words.ts';
import { siteNotesHere } from '../../host/served/site-notes.ts';
import { jsonLine } from '../base/answer-json.ts';
import { wholeNumber } from '../base/number-option.ts';

export interface WhyOptions {
  readonly at?: string;
  readonly lines?: string;
  readonly json?: true;
}

/** More decisions than a history keeps. */
const MOST = 100_000;

/** `modreg why <module>`: shows the decisions about a module, and what made each replace the one before it. */
export function whyCommand(named: string, options: WhyOptions, world: World): Outcome {
  const at = timeAsked(options, world);
  const count =
    options.lines === undefined ? undefined : wholeNumber('--lines', options.lines, MOST);
  if (!at.ok || count?.ok === false) {
    return failed(...[at, count].flatMap((read) => (read?.ok === false ? [read.error] : [])));
  }
  const found = decisionsAbout(named, at.value, world);
  if (!found.ok) return failed(...found.error);
  const { told } = found.value;
  const about = {
    ...found.value,
    told: count ? told.slice(Math.max(0, told.length - count.value)) : told,
  };
  const answer = options.json ? [jsonLine(whyDocument(about))] : linesOf(about, options);
  const lifts = options.json ? [] : liftNotes(about.quarantined, about.times);
  return { answer, notes: [...lifts, ...siteNotesHere(world)], problems: [] };
}

/** The time of `--at`, which is not in the future; undefined without it. */
export function timeAsked({ at }: WhyOptions, world: World): Result<number | undefined, Problem> {
  if (at === undefined) return { ok: true, value: undefined };
  const time = askedTime(at, world.clock());
  if (!time.ok) return { ok: false, error: parseProblem(time.error) };
  if (time.value <= world.clock()) return time;
  const message = `--at: ${formatTime(time.value)} is in the future; modreg plan shows what happens next`;
  return { ok: false, error: usage(message) };
}

function linesOf({ row, told, failing, times }: DecisionsAbout, { at }: WhyOptions): string[] {
  const [first] = told;
  if (at === undefined || !first) {
    const lines = told.map((one) => lineOf(one, times));
    if (!failing) return lines;
    const last = `the ${describeChange(failing.action)} ${describeFailures(failing, times.now)}`;
    return [...lines, `${formatTime(times.now - (times.now % 1000))}  ${last}`];
  }
  return fullLines(row, first, times);
}

/** The decision in full. Its facts are those of the last time at which they changed. */
function fullLines(
  row: LoggedDecision,
  { past, event, causes }: ToldDecision,
  times: TimeContext,
): string[] {
  const { first } = past;
  const lines = [
    ['since', describeTime(past.since, times)],
    ['constraint', first.constraint ?? 'none'],
    ['deployed', first.deployed],
    ['decision', first.decision],
    ['target', first.target],
    ['why', readable(loggedWords(first), times)],
    ['until', first.until === undefined ? undefined : describeTime(first.until, times)],
    ['changed by', causes.length === 0 ? undefined : causes.join('; ')],
    ['newest', first.newest],
    ['list', first.list && `${first.list.address} (${first.list.digest})`],
  ] as const;
  return [
    `${labelFor(row)} ${event}`,
    ...lines.flatMap(([name, value]) =>
      value === undefined ? [] : [`  ${name.padEnd(10)}  ${value}`],
    ),
  ];
}

/** `2026-11-22T02:00:00Z  upgraded 1.2.3 → 1.2.9: newest patch of 1.2; the maintenance window opened`. */
function lineOf({ past, event, causes }: ToldDecision, times: TimeContext): string {
  const why = joined([reasonAlone(past.first), ...causes], '; ');
  return readable(say`${passing(past.since)}  ${event}: ${why}`, times);
}
