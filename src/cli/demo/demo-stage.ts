import { setTimeout as sleep } from 'node:timers/promises';
import { jsonLine } from '../base/answer-json.ts';
import type { Outcome, Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { RunCommand } from '../base/command-context.ts';
import { environmentOf } from '../base/other-machine.ts';
import type { DemoMachine } from './demo-machine.ts';

/** Ends a demo early: because of a problem or a signal, or because nobody reads it. */
export class DemoStop extends Error {
  readonly end: { readonly problem?: Problem; readonly ending?: Outcome['ending'] };

  constructor(end: DemoStop['end']) {
    super('the demo ends early');
    this.end = end;
  }
}

/** How long the machine may take for what a step waits for. */
const LIMIT_MS = 60_000;
/** The time after which a command is run again. */
const AGAIN_MS = 100;

/** Runs the commands of a demo, and shows them with their answers. What it starts ends with it. */
export class DemoStage {
  readonly #machine: DemoMachine;
  readonly #json: boolean;
  readonly #world: World;
  readonly #run: RunCommand;
  readonly #began = performance.now();
  readonly #started: Promise<Outcome>[] = [];
  readonly #ending = Promise.withResolvers<'SIGTERM'>();
  /** Rejects with a DemoStop. */
  readonly #stopped = Promise.withResolvers<never>();
  /** The lines of the started commands that no wait has asked about yet. */
  #lines: string[] = [];
  #onLine: () => void = () => undefined;

  constructor(
    machine: DemoMachine,
    {
      json,
      world,
      run,
    }: { readonly json: boolean; readonly world: World; readonly run: RunCommand },
  ) {
    this.#machine = machine;
    this.#json = json;
    this.#world = world;
    this.#run = run;
    this.#stopped.promise.catch(() => undefined);
    const stop = (end: DemoStop['end']): void => this.#stopped.reject(new DemoStop(end));
    void world
      .untilSignal()
      .then((signal) => stop(signal === 'SIGINT' ? { ending: 'interrupted' } : {}));
    void world.untilStdoutCloses().then(() => stop({ ending: 'unread' }));
  }

  /** Shows the title of a step. */
  say(text: string): void {
    if (this.#json) this.#print(this.#event('step', { text }));
    else for (const line of ['', `${this.#time()}  ${text}`]) this.#print(line);
  }

  /** Runs a command to its end, again until a line of its answer matches `until`. Rejects with a DemoStop if it fails. */
  async command(argv: readonly string[], until: RegExp = /^/): Promise<void> {
    const asked = this.#json ? [...argv, '--json'] : argv;
    const world = this.#worldWith(() => undefined);
    const last = performance.now() + LIMIT_MS;
    let outcome = await this.#run(asked, world);
    while (!outcome.answer.some((line) => until.test(line))) {
      const problem = firstError(outcome.problems);
      if (problem) throw new DemoStop({ problem });
      if (performance.now() > last) throw this.#late();
      await this.pause(AGAIN_MS);
      outcome = await this.#run(asked, world);
    }
    this.#showCommand(argv, '');
    for (const line of outcome.answer) this.#print(this.#json ? line : `${INDENT}${line}`);
  }

  /** Starts a command that ends with the demo, whose lines `until` waits for. `show` is called with each of them. */
  start(argv: readonly string[], show: (line: string) => string | undefined): void {
    const shownArgv = this.#json ? argv : argv.filter((word) => word !== '--json');
    this.#showCommand(shownArgv, ' &');
    const take = (line: string): void => {
      const shown = this.#json ? line : show(line);
      if (shown !== undefined) this.#print(this.#json ? line : `${this.#time()}  ${shown}`);
      this.#lines.push(line);
      this.#onLine();
    };
    const started = this.#run(argv, this.#worldWith(take));
    this.#started.push(started);
    void this.#stopIfFailed(started);
  }

  /** Resolves with the lines that match `patterns`, as soon as one matches each. Rejects with a DemoStop if that takes a minute. */
  async until(...patterns: readonly RegExp[]): Promise<string[]> {
    const found = (): string[] =>
      patterns.flatMap((pattern) => this.#lines.find((line) => pattern.test(line)) ?? []);
    const complete = new Promise<void>((resolve) => {
      this.#onLine = () => {
        if (found().length === patterns.length) resolve();
      };
      this.#onLine();
    });
    const late = sleep(LIMIT_MS, undefined, { ref: false }).then(() => {
      throw this.#late();
    });
    await Promise.race([complete, late, this.#stopped.promise]);
    const lines = found();
    this.#lines = [];
    return lines;
  }

  /** Gives a reader time. */
  async pause(ms: number): Promise<void> {
    await Promise.race([sleep(ms, undefined, { ref: false }), this.#stopped.promise]);
  }

  /** Ends the started commands. */
  async end(): Promise<void> {
    this.#ending.resolve('SIGTERM');
    await Promise.allSettled(this.#started);
  }

  /** Shows the last line of a demo with --json. */
  last(fields: object): string {
    return this.#event('end', fields);
  }

  async #stopIfFailed(started: Promise<Outcome>): Promise<void> {
    try {
      const { problems } = await started;
      const problem = firstError(problems);
      if (problem) this.#stopped.reject(new DemoStop({ problem }));
    } catch (error) {
      this.#stopped.reject(error);
    }
  }

  #late(): DemoStop {
    const { folder, home } = this.#machine;
    const message = `the machine of the demo did not get on within ${LIMIT_MS / 1000} s; its state is in ${folder}`;
    const hint = `PLATFORM_HOME=${home} modreg agent logs shows what it did`;
    return new DemoStop({ problem: { severity: 'error', kind: 'internal', message, hint } });
  }

  #event(event: string, fields: object): string {
    const seconds = Number(this.#time());
    return jsonLine({ schema: 'modreg/demo@1', event, seconds, ...fields });
  }

  #print(line: string): void {
    this.#world.print(line);
  }

  #time(): string {
    return ((performance.now() - this.#began) / 1000).toFixed(1).padStart(5);
  }

  #showCommand(argv: readonly string[], end: string): void {
    const { folder } = this.#machine;
    const words = ['modreg', ...argv].map((word) => word.replace(`${folder}/`, ''));
    if (this.#json) this.#print(this.#event('command', { argv: ['modreg', ...argv] }));
    else this.#print(`${INDENT}$ ${words.join(' ')}${end}`);
  }

  /** The user's world, with the state of the demo and without its signals. */
  #worldWith(take: (line: string) => void): World {
    return {
      ...this.#world,
      environment: environmentOf(this.#machine.home, this.#world),
      isTerminal: false,
      columns: undefined,
      print: take,
      note: () => undefined,
      log: (stream, line) => {
        if (stream === 'stdout') take(line);
      },
      status: () => undefined,
      untilSignal: async () => await this.#ending.promise,
    };
  }
}

/** As wide as the time of a line. */
const INDENT = ' '.repeat(7);

function firstError(problems: readonly Problem[]): Problem | undefined {
  return problems.find(({ severity }) => severity === 'error');
}
