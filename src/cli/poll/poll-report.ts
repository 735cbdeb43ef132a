import { describeAddress } from '../../core/explanation/decision-words.ts';
import { excerpt } from '../../core/text/quote.ts';
import { readable, textOf } from '../../core/text/time-words.ts';
import type { CommittedAction } from '../../store/index.ts';
import type { PollerEvent } from '../../poller/index.ts';
import { textLine } from '../../base/text-line.ts';
import { logLine, type Level } from '../base/log-line.ts';
import type { World } from '../../base/world.ts';
import { eventName } from '../../logs/event-name.ts';
import { linesOf } from './event-words.ts';

/** A line that was printed. */
export interface LoggedLine {
  /** In milliseconds since the epoch. */
  readonly at: number;
  readonly level: Level;
  /** The module entry or the subsystem that it is about; undefined for the process itself. */
  readonly target: string | undefined;
  /** The event that the line reports, such as `modreg.module.started`; undefined if it reports none. */
  readonly name?: string | undefined;
  /** The version of the module, if it is known. */
  readonly version?: string | undefined;
  readonly text: string;
}

/** What a line reports besides its text. */
export type Reported = Pick<LoggedLine, 'name' | 'version'>;

interface Subject {
  readonly event: string;
  readonly target?: string | undefined;
  readonly action?: string | undefined;
}

/** Prints the log of `modreg poll` or `modreg agent run`: a line for each event, with its time and level, or a JSON object. */
export class PollReport {
  readonly #isJson: boolean;
  /** Names the schema, and the events that are not the poller's. */
  readonly #of: 'poll' | 'agent';
  readonly #world: World;
  /** Returns the policy's time zone for a module or subsystem. */
  readonly #timeZone: (name: string) => string | undefined;
  readonly #onLine: (line: LoggedLine) => void;
  /** The delivered actions that are not acknowledged, by id. */
  readonly #delivered = new Map<string, CommittedAction>();

  /** What messages call the program that runs for a module or subsystem, by its name. */
  readonly #programs = new Map<string, string>();

  constructor(
    {
      json,
      of = 'poll',
      onLine = () => undefined,
    }: {
      readonly json?: true;
      readonly of?: 'poll' | 'agent';
      readonly onLine?: (line: LoggedLine) => void;
    },
    timeZone: (name: string) => string | undefined,
    world: World,
  ) {
    this.#isJson = json ?? false;
    this.#of = of;
    this.#onLine = onLine;
    this.#timeZone = timeZone;
    this.#world = world;
  }

  /** Prints a line about the process itself. */
  note(level: Level, text: string, reported: Reported = {}): void {
    this.#print(level, text, { event: this.#of }, { reported });
  }

  /** Prints a line about the module or subsystem `name`. */
  about(name: string, level: Level, text: string, reported: Reported = {}): void {
    const event = this.#of === 'poll' ? 'program' : 'module';
    const line = `${excerpt(name)}: ${text}`;
    this.#print(level, line, { event, target: name }, { reported });
  }

  /** A program begins to run for the module or subsystem `name`. */
  runs(name: string, program: string): void {
    this.#programs.set(name, program);
  }

  onEvent(event: PollerEvent): void {
    if (event.kind === 'delivered') this.#delivered.set(event.action.id, event.action);
    const ended = event.kind === 'acknowledged' ? this.#delivered.get(event.id) : undefined;
    const action = 'action' in event ? event.action : ended;
    const target = action?.target ?? ('target' in event ? event.target : undefined);
    const subject = { event: event.kind, target: target?.name, action: action?.id };
    const times = { now: this.#world.clock(), timeZone: this.#timeZone(target?.name ?? '') };
    const reported = {
      name: eventName('poller', event.kind),
      version: action && describeAddress(action.to),
    };
    for (const { level, text } of linesOf(event, ended, this.#programs.get(target?.name ?? ''))) {
      this.#print(level, textOf(text), subject, { reported, shown: readable(text, times) });
    }
    if (event.kind === 'acknowledged') this.#delivered.delete(event.id);
  }

  #print(
    level: Level,
    text: string,
    subject: Subject,
    { reported, shown = text }: { readonly reported: Reported; readonly shown?: string },
  ): void {
    const lost = (count: number): string => {
      const dropped = `${count} lines of this log were dropped, because they were not read`;
      return this.#line({ now: this.#world.clock(), level: 'warn' }, dropped, { event: this.#of });
    };
    const now = this.#world.clock();
    const printed = this.#isJson ? text : shown;
    this.#world.log('stdout', this.#line({ now, level }, printed, subject), lost);
    this.#onLine({ at: now, level, target: subject.target, ...reported, text: shown });
  }

  #line(
    { now, level }: { readonly now: number; readonly level: Level },
    text: string,
    subject: Subject,
  ): string {
    if (!this.#isJson) return textLine({ now, level }, text);
    return logLine({ schema: `modreg/${this.#of}@1`, now, level }, { ...subject, text });
  }
}
