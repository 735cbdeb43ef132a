import { describeDuration } from '../../core/text/duration.ts';
import { summarizeDecision, targetText } from '../../core/explanation/plan-words.ts';
import { decisionWords } from '../../core/explanation/decision-words.ts';
import { type Action, type Decision, type Plan } from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { releaseOf } from '../../core/decision/replacement-text.ts';
import { publishTime } from '../../core/releases/publish-time.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { readable, say, textOf } from '../../core/text/time-words.ts';
import type { PollingEvent } from '../../poller/event.ts';
import { jsonLine } from '../base/answer-json.ts';
import { countOf } from '../../base/count.ts';
import { timeZoneOf } from '../../config/time-zone.ts';
import { labelOf } from '../../core/explanation/plan-cells.ts';
import { actionAsJson } from '../../host/plan/plan-document.ts';
import { describePolling, problemsIn } from './polling-words.ts';
import { formatProblem, problemAsJson, type Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';

interface Row {
  readonly label: string;
  readonly decision: Decision;
}

/** Prints the output of `modreg watch`: each action once, and every other change. */
export class WatchReport {
  readonly #isJson: boolean;
  readonly #world: World;
  readonly #began: number;
  /** The text printed last for each row. */
  readonly #lastPrinted = new Map<string, string>();
  #actions = 0;
  retries = 0;

  constructor(isJson: boolean, world: World) {
    this.#isJson = isJson;
    this.#world = world;
    this.#began = world.clock();
  }

  /** Prints a note for a person; nothing with `--json`. */
  note(line: string): void {
    if (!this.#isJson) this.#world.note(line);
  }

  /** Prints the warnings about the documents, unless the last ones were the same. */
  warn(warnings: readonly Problem[]): void {
    if (this.#isNew('documents', warnings.map(problemAsJson).join('\n')))
      this.#printProblems(warnings);
  }

  /** Prints due actions on stdout, and the other decisions on stderr, unless they were printed before. */
  show(plan: Plan): void {
    const rows = rowsOf(plan);
    const due = plan.restarts.flatMap((restart, place) =>
      restart.actions.map((action) => ({ action, place })),
    );
    const dueKeys = new Set<string>();
    for (const { action, place } of due) {
      const { kind, name } = action.target;
      const row = rows.get(`${kind} ${name}`);
      dueKeys.add(`${kind} ${name}`);
      const isNew = this.#isNew(`${kind} ${name}`, `${action.from} ${action.to}`);
      if (row && isNew) this.#print(row, action, place);
    }
    for (const [key, row] of rows) {
      if (dueKeys.has(key)) continue;
      // A row that is up to date from the start is not printed.
      const isQuiet = !this.#lastPrinted.has(key) && row.decision.kind === 'keep';
      const said = say`${summarizeDecision(row.decision)}: ${decisionWords(row.decision)}`;
      const answer = textOf(said);
      if (this.#isNew(key, answer) && !isQuiet) {
        const timeZone = timeZoneOf(row.decision.input.timing);
        const times = { now: this.#world.clock(), timeZone };
        this.#noteAtTime(`${row.label}   ${this.#isJson ? answer : readable(said, times)}`);
      }
    }
  }

  /** Prints that a lasting condition began or ended. */
  onEvent(event: PollingEvent): void {
    const text = describePolling(event);
    if (text !== undefined) this.#noteAtTime(text);
    this.#printProblems(problemsIn(event));
  }

  /** `stopped after 12 min 44 s: 13 rounds, 1 action, 3 retries`. */
  end(rounds: number): void {
    const lasted = describeDuration(this.#world.clock() - this.#began);
    const counts = [
      countOf(rounds, 'round'),
      countOf(this.#actions, 'action'),
      this.retries === 1 ? '1 retry' : `${this.retries} retries`,
    ];
    this.note(`stopped after ${lasted}: ${counts.join(', ')}`);
  }

  #isNew(key: string, answer: string): boolean {
    const isNew = this.#lastPrinted.get(key) !== answer;
    this.#lastPrinted.set(key, answer);
    return isNew;
  }

  #print({ label, decision }: Row, action: Action, place: number): void {
    this.#actions++;
    if (this.#isJson) {
      this.#world.print(jsonLine({ schema: 'modreg/watch@1', ...actionAsJson(action, place) }));
      return;
    }
    const { from = 'none', direction, reason } = action;
    const to = targetText(decision) ?? action.to;
    const change = direction === 'restart' ? to : `${from} → ${to}`;
    const cells = [
      this.#time(),
      label,
      change,
      direction,
      reason.text,
      ...this.#publishedAgo(decision),
    ];
    this.#world.print(cells.join('   '));
  }

  #publishedAgo(decision: Decision): string[] {
    const replacement = replacementOf(decision);
    const to = replacement && releaseOf(replacement);
    const { list } = decision.input;
    if (!to || 'error' in list) return [];
    const publishedAt = publishTime(to, list.firstSeen);
    if (publishedAt === undefined) return [];
    return [`published ${describeDuration(this.#world.clock() - publishedAt)} ago`];
  }

  #noteAtTime(line: string): void {
    if (this.#isJson) this.#world.note(jsonLine({ note: line }));
    else this.#world.note(`${this.#time()}   ${line}`);
  }

  #printProblems(problems: readonly Problem[]): void {
    const lines = this.#isJson ? problems.map(problemAsJson) : problems.flatMap(formatProblem);
    for (const line of lines) this.#world.note(line);
  }

  /** The time of day in UTC, to the second. */
  #time(): string {
    return formatTime(this.#world.clock()).replace(/^.*T(\d\d:\d\d:\d\d).*$/, '$1Z');
  }
}

function rowsOf({ modules, subsystems }: Plan): ReadonlyMap<string, Row> {
  return new Map([
    ...modules.map((row): [string, Row] => [
      `module ${row.name}`,
      { label: labelOf(row), decision: row.decision },
    ]),
    ...subsystems
      // A machine need not report the versions of its subsystems.
      .filter(({ decision }) => decision.input.deployed.kind !== 'unknown')
      .map(({ target, decision }): [string, Row] => [
        `subsystem ${target.name}`,
        { label: target.name, decision },
      ]),
  ]);
}
