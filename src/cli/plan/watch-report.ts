import { describeDuration } from '../../core/text/duration.ts';
import { summarizeDecision, targetText } from '../../core/explanation/plan-words.ts';
import { describeDecision, type Action, type Decision, type Plan } from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { publishTime } from '../../core/releases/publish-time.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { PollingEvent } from '../../poller/event.ts';
import { jsonLine } from '../output/answer-json.ts';
import { countOf } from '../output/count.ts';
import { labelOf } from './plan-cells.ts';
import { actionAsJson } from './plan-json.ts';
import { formatProblem, problemAsJson, type Problem } from '../problem.ts';
import type { World } from '../world.ts';

/** Thrown when a watched document can no longer be read. */
export class UnreadableSite extends Error {
  override readonly name = 'UnreadableSite';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('the documents of the machine cannot be read');
    this.problems = problems;
  }
}

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
      const answer = `${summarizeDecision(row.decision)}: ${describeDecision(row.decision)}`;
      if (this.#isNew(key, answer) && !isQuiet) this.#noteAtTime(`${row.label}   ${answer}`);
    }
  }

  /** Prints that a lasting condition began or ended. */
  onEvent(event: PollingEvent): void {
    switch (event.kind) {
      case 'registry-unavailable': {
        const { message } = event.error;
        const again = describeDuration(event.retryMs);
        this.#noteAtTime(`${message}; next attempt in ${again}; modules keep running`);
        break;
      }
      case 'registry-available':
        this.#noteAtTime(
          `the registry is available again after ${describeDuration(event.afterMs)}`,
        );
        break;
      case 'list-unavailable':
        this.#noteAtTime(event.error.message);
        break;
      case 'list-available':
        this.#noteAtTime(`the list of ${event.moduleId} is available again`);
        break;
      case 'configuration-unreadable':
        this.#noteAtTime('the documents that were read last stay in use, because:');
        this.#printProblems(
          event.error instanceof UnreadableSite ? event.error.problems : [internal(event)],
        );
        break;
      case 'configuration-readable':
        this.#noteAtTime('the documents of the machine can be read again');
        break;
      case 'callback-error':
        this.#printProblems([internal(event)]);
        break;
    }
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
    const word = direction === 'upgrade' ? 'restart-and-upgrade' : direction;
    const change = `${from} → ${targetText(decision) ?? action.to}`;
    const cells = [this.#time(), label, change, word, reason.text, ...this.#publishedAgo(decision)];
    this.#world.print(cells.join('   '));
  }

  #publishedAgo(decision: Decision): string[] {
    const to = replacementOf(decision)?.to;
    const { list } = decision.input;
    if (!to || 'url' in to || 'error' in list) return [];
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

function internal({ error }: { readonly error: unknown }): Problem {
  const message = `this is a bug in modreg: ${excerpt(String(error))}`;
  return { severity: 'error', kind: 'internal', message };
}
