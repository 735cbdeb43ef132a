import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { platformHome } from '../../config/platform-home.ts';
import type { Result } from '../../core/index.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { LOG_FILE, openLog, type LogFile } from '../../logs/log-file.ts';
import { MOST_RECORDS } from '../../logs/log-limits.ts';
import type { Severity, StoredRecord } from '../../logs/log-record.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { askedTime } from '../../host/asked-time.ts';
import { rowNamed } from '../../host/machine-row.ts';
import { NO_HOME, stateProblem, usingState } from '../../host/open-state.ts';
import { wholeNumber } from '../base/number-option.ts';
import { countOf } from '../../base/count.ts';
import { textLine } from '../../base/text-line.ts';
import { logLine } from '../base/log-line.ts';
import { failed, parseProblem, type Outcome, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { noAgent } from './no-agent.ts';
import { endingAfter } from '../base/ending-after.ts';

export interface AgentLogsOptions {
  readonly lines?: string;
  readonly since?: string;
  readonly level?: Severity;
  readonly grep?: string;
  readonly follow?: true;
  readonly json?: true;
}

/** The lines to print. */
interface Selection {
  readonly module: string | undefined;
  readonly count: number;
  /** Undefined for all. */
  readonly since: number | undefined;
  readonly severity: Severity | undefined;
  /** A part of their text, whose case does not matter. */
  readonly text: string | undefined;
}

const DEFAULT_LINES = '100';
const FOLLOW_MS = 500;
/** `modreg agent logs [module]`: the newest lines of the agent and of its modules. */
export async function agentLogsCommand(
  module: string | undefined,
  options: AgentLogsOptions,
  world: World,
): Promise<Outcome> {
  const count = wholeNumber('--lines', options.lines ?? DEFAULT_LINES, MOST_RECORDS);
  const since = options.since === undefined ? undefined : askedTime(options.since, world.clock());
  if (!count.ok || since?.ok === false) {
    const problems = since?.ok === false ? [parseProblem(since.error)] : [];
    return failed(...(count.ok ? [] : [count.error]), ...problems);
  }
  const log = opened(world);
  if (!log.ok) return log.error;
  try {
    const name = module === undefined ? undefined : entryNamed(module, log.value, world);
    if (name?.ok === false) return failed(...name.error);
    const chosen = { since: since?.value, severity: options.level, text: options.grep };
    const selection = { module: name?.value, count: count.value, ...chosen };
    return options.follow
      ? await follow(log.value, { ...selection, options }, world)
      : newest(log.value, { ...selection, options });
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return failed(stateProblem(error));
  } finally {
    log.value.close();
  }
}

/** The name of the entry that `text` names, which the log or the last round has. */
function entryNamed(text: string, log: LogFile, world: World): Result<string, Problem[]> {
  if (log.newest({ module: text, count: 1 }).length > 0) return { ok: true, value: text };
  const decisions = usingState(world, 'read', (state) => state.decisions());
  // Without the names of the modules, the log decides.
  if (!decisions.ok) return { ok: true, value: text };
  const row = rowNamed(text, decisions.value);
  return row.ok ? { ok: true, value: row.value.name } : row;
}

type Printed = Selection & { readonly options: AgentLogsOptions };

function newest(log: LogFile, { options, ...selection }: Printed): Outcome {
  const { module, count } = selection;
  const records = log.newest(selection);
  const notes: string[] = [];
  const dropped = log.dropped();
  if (dropped) {
    const until = formatTime(dropped.newestAt);
    notes.push(`${countOf(dropped.count, 'line')} until ${until} were dropped for later ones`);
  }
  if (records.length === 0 && count > 0 && module !== undefined) {
    const such = isSelective(selection) ? 'such line' : 'line';
    notes.push(`the log has no ${such} about ${excerpt(module)}`);
  }
  return { answer: records.map((one) => lineOf(one, options)), notes, problems: [], isData: true };
}

/**
 * Prints the newest lines, and those that follow, until a signal or until nobody reads them. A log that takes the place of a
 * damaged or removed one is followed from its beginning.
 */
async function follow(
  log: LogFile,
  { options, ...selection }: Printed,
  world: World,
): Promise<Outcome> {
  const stopping = new AbortController();
  const ended = Promise.race([world.untilSignal(), world.untilStdoutCloses()]).finally(() => {
    stopping.abort();
  });
  // What is earlier does not follow, even if none of it is printed.
  let after = log.newest({ count: 1 }).at(-1)?.id ?? 0;
  let records = log.newest(selection);
  let [open, number] = [log, fileNumber(world)];
  while (!stopping.signal.aborted) {
    for (const one of records) world.print(lineOf(one, options));
    after = records.at(-1)?.id ?? after;
    await delay(FOLLOW_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    const now = fileNumber(world);
    const next = now === number ? undefined : opened(world);
    if (next?.ok) {
      open.close();
      // Another file has its place, and its numbers begin again.
      [open, number, after] = [next.value, now, 0];
    }
    records = open.newest({ ...selection, count: MOST_RECORDS, after });
  }
  open.close();
  const signal = await ended;
  return { answer: [], notes: [], problems: [], ending: endingAfter(signal) };
}

function isSelective({ since, severity, text }: Selection): boolean {
  return [since, severity, text].some((one) => one !== undefined);
}

function lineOf({ at, severity, module, text }: StoredRecord, { json }: AgentLogsOptions): string {
  if (!json) return textLine({ now: at, level: severity }, text);
  const subject = module === undefined ? {} : { target: module };
  return logLine({ schema: 'modreg/agent-log@1', now: at, level: severity }, { ...subject, text });
}

function pathOf({ environment }: World): string | undefined {
  const home = platformHome(environment);
  return home === undefined ? undefined : join(home, LOG_FILE);
}

/** Which file the log is now; undefined if there is none. */
function fileNumber(world: World): bigint | undefined {
  return statSync(pathOf(world) ?? '', { bigint: true, throwIfNoEntry: false })?.ino;
}

function opened(world: World): Result<LogFile, Outcome> {
  const path = pathOf(world);
  if (path === undefined) return { ok: false, error: failed(NO_HOME) };
  try {
    return { ok: true, value: openLog(path, 'read') };
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (error.kind !== 'missing') return { ok: false, error: failed(stateProblem(error)) };
    const { head, note } = noAgent(error.message);
    return { ok: false, error: { answer: [], notes: [head, note], problems: [] } };
  }
}
