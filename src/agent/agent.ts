import { systemClock } from '../registry/clock.ts';
import type { AgentOptions } from './agent-options.ts';
import { expectAgentOptions } from './expected-agent-options.ts';
import { linux } from './ports.ts';
import { SupervisedMachine } from './supervised-machine.ts';
import { THIS_MACHINE } from './system/host.ts';
import { SystemSettings } from './system/system-settings.ts';

/**
 * Runs the modules of one machine: starts the deployed versions, carries out the poller's actions (download, unpack,
 * switch, watch, roll back), and starts again what ends. At most one version of a module runs at any time, and a version
 * that does not work is replaced by the one before it. Linux only.
 *
 * @example
 * ```ts
 * import { Agent } from 'modreg/agent';
 * import { DEFAULT_POLICY, readMachine } from 'modreg/config';
 * import { openRegistries } from 'modreg/registry';
 * import { openForPoller } from 'modreg/store';
 * import { readFileSync } from 'node:fs';
 *
 * const agent = new Agent({
 *   file: openForPoller('/var/lib/robot/machine.db'),
 *   home: '/var/lib/robot',
 *   platform: 'linux/arm64',
 *   environment: process.env,
 *   configuration: () => {
 *     const machine = readMachine(readFileSync('machine.json'));
 *     if (!machine.ok) throw new Error(machine.problems.map(({ message }) => message).join('\n'));
 *     const terms = { ...DEFAULT_POLICY.terms, registry: 'https://registry.example' };
 *     return { machine: machine.value, policy: { ...DEFAULT_POLICY, terms } };
 *   },
 *   registryFor: openRegistries().registryFor,
 * });
 * await agent.start();
 * process.once('SIGTERM', () => void agent.stop());
 * ```
 */
export class Agent {
  readonly #machine: SupervisedMachine;
  readonly #system: SystemSettings | undefined;

  /** Throws a RangeError if an option that the poller has as well is out of range, and a TypeError if one has the wrong type or a misspelt name. */
  constructor(options: AgentOptions) {
    expectAgentOptions(options);
    const system = systemSettings(options);
    this.#system = system;
    const configuration: AgentOptions['configuration'] = async () => {
      const read = await options.configuration();
      system?.follow(read.machine.agent);
      return read;
    };
    const ports = linux(options.system?.programs ?? THIS_MACHINE.programs);
    this.#machine = new SupervisedMachine({ ...options, configuration }, ports);
  }

  /**
   * Starts what is deployed, and then the poller, once no process of an earlier agent is left. Rejects if the configuration
   * or the machine's file cannot be read.
   */
  async start(): Promise<void> {
    await this.#machine.start();
  }

  /**
   * Plans the machine again at once, without contacting a registry: an operator may have requested something. With `rereads`, it reads its
   * configuration again first.
   */
  look(how: { readonly rereads?: boolean } = {}): void {
    this.#machine.look(how);
  }

  /** Ends all modules, and then the poller. What was begun goes on with the next agent. */
  async stop(): Promise<void> {
    await Promise.all([this.#machine.stop(), this.#system?.stop()]);
  }
}

function systemSettings({
  system,
  home,
  clock = systemClock,
  onEvent = () => undefined,
}: AgentOptions): SystemSettings | undefined {
  if (!system) return undefined;
  const { root, manufacturer = () => undefined, programs = THIS_MACHINE.programs } = system;
  const host = { ...THIS_MACHINE, programs, root: root ?? THIS_MACHINE.root };
  const isRoot = root !== undefined || process.getuid?.() === 0;
  return new SystemSettings({ home, host, isRoot, clock, manufacturer, onEvent });
}
