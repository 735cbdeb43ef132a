import { describeDuration } from '../../core/text/duration.ts';
import { summarizeDecision, targetText } from '../../core/explanation/plan-words.ts';
import { describeDecision, type Action, type Decision, type Plan } from '../../core/index.ts';
import { replacementOf } from '../../core/decision/decision.ts';
import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import type { PollingEvent } from '../../poller/event.ts';
import { jsonLine } from '../output/answer-json.ts';
import { countOf } from '../output/count.ts';
import { labelOf } from './plan-cells.ts';
import { actionAsJson } from './plan-json.ts';
import { formatProblem, problemAsJson, type Problem } from '../problem.ts';
import type { World } from '../world.ts';

/** That a document which was watched cannot be read any more. */
export class UnreadSite extends Error {
  override readonly name = 'UnreadSite';
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

/** What `modreg watch` prints: each action once, and what else changes. */
export class WatchReport {
  readonly #isJson: boolean;
  readonly #world: World;
  readonly #began: number;
  /** What was said last of each row. */
  readonly #said = new Map<string, string>();
  #actions = 0;
  retries = 0;

  constructor(isJson: boolean, world: World) {
    this.#isJson = isJson;
    this.#world = world;
    this.#began = world.clock();
  }

  /** For a person only. */
  note(line: string): void {
    if (!this.#isJson) this.#world.note(line);
  }

  /** Prints what is due on stdout, and why something else is not on stderr, where either is news. */
  show(plan: Plan): void {
    const rows = rowsOf(plan);
    const due = plan.restarts.flatMap((restart, place) =>
      restart.actions.map((action) => ({ action, place })),
    );
    const printed = new Set<string>();
    for (const { action, place } of due) {
      const { kind, name } = action.target;
      const row = rows.get(`${kind} ${name}`);
      printed.add(`${kind} ${name}`);
      const isNews = this.#isNews(`${kind} ${name}`, `${action.from} ${action.to}`);
      if (row && isNews) this.#print(row, action, place);
    }
    for (const [key, row] of rows) {
      if (printed.has(key)) continue;
      // What is as it should be is no news at first.
      const isQuiet = !this.#said.has(key) && row.decision.kind === 'keep';
      const answer = `${summarizeDecision(row.decision)}: ${describeDecision(row.decision)}`;
      if (this.#isNews(key, answer) && !isQuiet) this.#say(`${row.label}   ${answer}`);
    }
  }

  /** Tells of what lasts, as it begins and as it ends. */
  tell(event: PollingEvent): void {
    switch (event.kind) {
      case 'registry-unavailable': {
        const { message } = event.error;
        const again = describeDuration(event.retryMs);
        this.#say(`${message}; asked again in ${again}, and modules keep running`);
        break;
      }
      case 'registry-available':
        this.#say(`the registry is back after ${describeDuration(event.afterMs)}`);
        break;
      case 'list-unavailable':
        this.#say(event.error.message);
        break;
      case 'list-available':
        this.#say(`the list of ${event.moduleId} is back`);
        break;
      case 'configuration-unreadable':
        this.#say('what was read last goes on, because:');
        this.#complain(
          event.error instanceof UnreadSite ? event.error.problems : [internal(event)],
        );
        break;
      case 'configuration-readable':
        this.#say('the documents of the machine can be read again');
        break;
      case 'callback-error':
        this.#complain([internal(event)]);
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

  #isNews(key: string, answer: string): boolean {
    const isNews = this.#said.get(key) !== answer;
    this.#said.set(key, answer);
    return isNews;
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
    if (!to || 'url' in to || to.publishedAt === undefined) return [];
    return [`published ${describeDuration(this.#world.clock() - to.publishedAt)} ago`];
  }

  #say(line: string): void {
    if (this.#isJson) this.#world.note(jsonLine({ note: line }));
    else this.#world.note(`${this.#time()}   ${line}`);
  }

  #complain(problems: readonly Problem[]): void {
    const lines = this.#isJson ? problems.map(problemAsJson) : problems.flatMap(formatProblem);
    for (const line of lines) this.#world.note(line);
  }

  /** In UTC, to the second. */
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
      // A machine need not say what runs of its subsystems.
      .filter(({ decision }) => decision.input.deployed.kind !== 'unknown')
      .map(({ target, decision }): [string, Row] => [
        `subsystem ${target.name}`,
        { label: target.name, decision },
      ]),
  ]);
}

function internal({ error }: { readonly error: unknown }): Problem {
  const message = `this is a mistake in modreg: ${excerpt(String(error))}`;
  return { severity: 'error', kind: 'internal', message };
}
