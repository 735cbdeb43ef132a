import { deepStrictEqual } from 'node:assert';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

export interface MachineOptions {
  /** For its documents and the agent's files. */
  readonly folder: string;
  readonly moduleId: string;
  readonly registry: string;
  /** The program of Node, and the script of the agent. */
  readonly node: string;
  readonly script: string;
  /** See kill-after.ts. */
  readonly killAfter: string | undefined;
}

/** The variables of the module: its programs may rely on them. */
const ENV = { GREETING: 'hello' };
const KILL_AFTER = join(import.meta.dirname, 'kill-after.ts');
/** The shortest interval between rounds, in seconds. */
const INTERVAL = '5';
const PATIENCE_MS = 60_000;
const SETTLE_MS = 5000;
const LONGEST_STOP_MS = 15_000;

/** One machine with one module, and the agent that keeps it up to date. An agent that is killed is started again. */
export class Machine {
  /** How many agents were killed. */
  kills = 0;
  readonly #options: MachineOptions;
  readonly #home: string;
  /** What all agents have printed. */
  readonly #lines: string[] = [];
  #agent: ChildProcess | undefined;
  #isStopping = false;

  constructor(options: MachineOptions) {
    const { folder, moduleId, registry } = options;
    this.#options = options;
    this.#home = join(folder, 'home');
    mkdirSync(folder);
    const entry = {
      type: 'registry',
      name: 'module',
      module_id: moduleId,
      version: '1.*',
      env: ENV,
    };
    writeFileSync(join(folder, 'machine.json'), JSON.stringify({ modules: [entry] }));
    writeFileSync(
      join(folder, 'policy.json'),
      JSON.stringify({ registry, restart_cooldown: '0s' }),
    );
  }

  start(): void {
    const { folder, node, script, killAfter } = this.#options;
    const documents = [join(folder, 'machine.json'), join(folder, 'policy.json')];
    const environment = { PATH: process.env['PATH'], KILL_AFTER: this.kills > 0 ? '' : killAfter };
    const agent = spawn(
      node,
      ['--import', KILL_AFTER, script, ...documents, this.#home, INTERVAL],
      { env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#agent = agent;
    for (const input of [agent.stdout, agent.stderr]) {
      createInterface({ input }).on('line', (line) => this.#lines.push(line));
    }
    agent.once('exit', (_code, signal) => {
      if (signal !== 'SIGKILL' || this.#isStopping) return;
      this.kills += 1;
      this.start();
    });
  }

  kill(): void {
    this.#agent?.kill('SIGKILL');
  }

  /** Kills the agent as soon as it has written a part of this version to disk. */
  async killWhileWriting(version: string): Promise<void> {
    const folder = join(this.#home, 'module', version);
    const isBegun = (): boolean =>
      existsSync(folder) &&
      readdirSync(folder).some((name) => statSync(join(folder, name)).size > 0);
    while (!isBegun() && !this.#isStopping) await sleep(10);
    this.kill();
  }

  /** Stops the agent, and returns its exit code; null if it had to be killed. */
  async stop(): Promise<number | null> {
    this.#isStopping = true;
    const agent = this.#agent;
    if (!agent || agent.exitCode !== null || agent.signalCode !== null) {
      return agent?.exitCode ?? null;
    }
    const exit = once(agent, 'exit') as Promise<[number | null]>;
    agent.kill('SIGTERM');
    setTimeout(() => agent.kill('SIGKILL'), LONGEST_STOP_MS).unref();
    return (await exit)[0];
  }

  /** Resolves when the agents have printed a line that begins so, `count` times in total. */
  async printed(beginning: string, count: number): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (this.lines(beginning).length < count) {
      if (performance.now() > end) throw new Error(`"${beginning}" is not printed ${count} times`);
      await sleep(50);
    }
  }

  /** What the agents have printed: the lines that begin so. */
  lines(beginning: string): readonly string[] {
    return this.#lines.filter((line) => line.startsWith(beginning));
  }

  /** The state of each action, in order. */
  states(): string[] {
    const database = new DatabaseSync(join(this.#home, 'machine.db'), { readOnly: true });
    const rows = database.prepare('SELECT state FROM actions ORDER BY number').all();
    database.close();
    return rows.map(({ state }) => String(state));
  }

  /**
   * Resolves when the processes of the module are those of these versions. Rejects after five seconds. A process has no
   * environment while it executes another program, and one that was killed takes time to end.
   */
  async runs(versions: readonly string[]): Promise<void> {
    const end = performance.now() + SETTLE_MS;
    const running = (): string[] => this.#processes().map(({ folder }) => basename(folder));
    while (running().join() !== versions.join() && performance.now() < end) await sleep(50);
    deepStrictEqual(running(), versions, 'processes of the module');
  }

  /** Kills the processes of the module that its agents left behind: they keep the output of this test open. */
  killModules(): void {
    for (const { pid } of this.#processes()) process.kill(pid, 'SIGKILL');
  }

  #processes(): { readonly pid: number; readonly folder: string }[] {
    const entries = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
    return entries.flatMap((entry) => {
      try {
        const environment = readFileSync(`/proc/${entry}/environ`, 'utf8');
        if (!environment.includes(`AGENT_HOME=${this.#home}\0`)) return [];
        return [{ pid: Number(entry), folder: readlinkSync(`/proc/${entry}/cwd`) }];
      } catch {
        return []; // It has ended, or belongs to another user.
      }
    });
  }
}
