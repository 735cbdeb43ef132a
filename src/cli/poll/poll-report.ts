import { excerpt } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { withReadableTimes } from '../../core/text/time-words.ts';
import type { CommittedAction } from '../../store/index.ts';
import type { PollerEvent } from '../../poller/index.ts';
import { logLine, type Level } from '../output/log-line.ts';
import type { World } from '../world.ts';
import { linesOf } from './event-words.ts';

/** Prints the log of `modreg poll` or `modreg agent run`: a line for each event, with its time and level, or a JSON object. */
export class PollReport {
  readonly #isJson: boolean;
  /** Names the schema, and the events that are not the poller's. */
  readonly #of: 'poll' | 'agent';
  readonly #world: World;
  /** Returns the policy's time zone for a module or subsystem. */
  readonly #timeZone: (name: string) => string | undefined;
  /** The delivered actions that are not acknowledged, by id. */
  readonly #delivered = new Map<string, CommittedAction>();

  constructor(
    { json, of = 'poll' }: { readonly json?: true; readonly of?: 'poll' | 'agent' },
    timeZone: (name: string) => string | undefined,
    world: World,
  ) {
    this.#isJson = json ?? false;
    this.#of = of;
    this.#timeZone = timeZone;
    this.#world = world;
  }

  /** Prints a line about the process itself. */
  note(level: Level, text: string): void {
    this.#print(level, text, { event: this.#of });
  }

  /** Prints a line about the module or subsystem `name`. */
  about(name: string, level: Level, text: string): void {
    this.#print(level, `${excerpt(name)}: ${text}`, {
      event: this.#of === 'poll' ? 'program' : 'module',
      target: name,
    });
  }

  onEvent(event: PollerEvent): void {
    if (event.kind === 'delivered') this.#delivered.set(event.action.id, event.action);
    const ended = event.kind === 'acknowledged' ? this.#delivered.get(event.id) : undefined;
    const action = 'action' in event ? event.action : ended;
    const target = action?.target ?? ('target' in event ? event.target : undefined);
    const subject = { event: event.kind, target: target?.name, action: action?.id };
    const times = { now: this.#world.clock(), timeZone: this.#timeZone(target?.name ?? '') };
    for (const { level, text } of linesOf(event, ended)) {
      this.#print(level, this.#isJson ? text : withReadableTimes(text, times), subject);
    }
    if (event.kind === 'acknowledged') this.#delivered.delete(event.id);
  }

  #print(level: Level, text: string, subject: object): void {
    const lost = (count: number): string =>
      this.#line('warn', `${count} lines of this log were dropped, because nobody read them`, {
        event: this.#of,
      });
    this.#world.log('stdout', this.#line(level, text, subject), lost);
  }

  #line(level: Level, text: string, subject: object): string {
    const now = this.#world.clock();
    if (!this.#isJson) return `${formatTime(now)} ${level.padEnd(5)} ${text}`;
    return logLine({ schema: `modreg/${this.#of}@1`, now, level }, { ...subject, text });
  }
}
