import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { countOf } from '../../base/count.ts';
import { failed, parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { askedTime } from '../../host/asked-time.ts';
import type { LogLevel, SiteLine } from '../../registry/site-logs.ts';
import type { FleetOptions } from '../../site/fleet-options.ts';
import { logText } from '../../site/log-text.ts';
import { logsOfFleet, type FoundLines, type WantedLines } from '../../site/machine-logs.ts';
import { unknownNames } from '../../site/unknown-names.ts';
import { logLine } from '../base/log-line.ts';
import { wholeNumber } from '../base/number-option.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

export interface FleetLogsOptions extends FleetOptions, AnswerOptions {
  readonly machine?: string;
  readonly lines?: string;
  readonly since?: string;
  readonly level?: LogLevel;
  readonly grep?: string;
}

const DEFAULT_LINES = '100';
const MOST_LINES = 10_000;

/** `modreg fleet logs [module]`: the newest lines that machines sent of their logs (D308). */
export async function fleetLogsCommand(
  module: string | undefined,
  options: FleetLogsOptions,
  world: World,
): Promise<Outcome> {
  const wanted = wantedLines(module, options, world);
  if (!wanted.ok) return failed(wanted.error);
  const found = await logsOfFleet(wanted.value, options, world);
  const isEmpty = found.ok && found.value.lines.length === 0 && wanted.value.count > 0;
  const asked = isEmpty ? { machine: options.machine, entry: module } : {};
  const problems = await unknownNames(asked, options, world);
  return outcomeOf(found, (answer) => ({
    answer: answer.lines.map((line) => lineOf(line, options)),
    notes: notesOf(answer, wanted.value),
    problems,
    isData: true,
  }));
}

function wantedLines(
  module: string | undefined,
  { machine, lines = DEFAULT_LINES, since: sinceText, level, grep: text }: FleetLogsOptions,
  world: World,
): Result<WantedLines, Problem> {
  const count = wholeNumber('--lines', lines, MOST_LINES);
  if (!count.ok) return count;
  const since = sinceText === undefined ? undefined : askedTime(sinceText, world.clock());
  if (since?.ok === false) return { ok: false, error: parseProblem(since.error) };
  const value = { machine, module, level, since: since?.value, text, count: count.value };
  return { ok: true, value };
}

function notesOf(
  { lines, dropped }: FoundLines,
  { machine, module, level, since, text, count }: WantedLines,
): string[] {
  const notes: string[] = [];
  if (dropped) {
    const what = `${countOf(dropped.count, 'line')} until ${excerpt(dropped.until)}`;
    notes.push(`${what} were dropped by the registry for later ones`);
  }
  if (lines.length > 0 || count === 0) return notes;
  const isSelective = [module, level, since, text].some((one) => one !== undefined);
  const of = machine === undefined ? 'any machine' : excerpt(machine);
  return [...notes, `the registry has no ${isSelective ? 'such line' : 'line'} of ${of}`];
}

function lineOf(line: SiteLine, { json, machine: named }: FleetLogsOptions): string {
  if (!json) return logText(line, named === undefined);
  const { at, level, machine, text, gap, ...others } = line;
  const head = { schema: 'modreg/fleet-log@1', now: Date.parse(at), level };
  return logLine(head, { machine, ...others, text, ...(gap && { gap }) });
}
