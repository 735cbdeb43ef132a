import type { AgentConfiguration } from '../../core/machine/machine.ts';
import type { Clock } from '../../registry/clock.ts';
import { applyFiles } from './apply-files.ts';
import type { SystemHost } from './host.ts';
import { systemTarget, type SystemTarget } from './managed-files.ts';
import { command, observe } from './nmcli.ts';
import { ONLINE, roam, type RoamingCommand } from './roaming.ts';
import type { SystemEvent } from './system-event.ts';

export interface SystemSettingsOptions {
  readonly home: string;
  readonly host: SystemHost;
  /** Whether the agent may change the settings of the system. */
  readonly isRoot: boolean;
  readonly clock: Clock;
  /** The manufacturer's configuration; undefined if there is none. May throw. */
  readonly manufacturer: () => AgentConfiguration | undefined;
  readonly onEvent: (event: SystemEvent) => void;
}

const WHILE_ONLINE_MS = 60_000;
const WHILE_OFFLINE_MS = 10_000;

/** Keeps the settings of the system as the configuration says. It never throws, and nothing waits for it. */
export class SystemSettings {
  readonly #options: SystemSettingsOptions;
  readonly #stopping = new AbortController();
  /** What was said last about each subject, so that it is said once. */
  readonly #said = new Map<string, string>();
  #next: AgentConfiguration | undefined;
  #applying: Promise<void> | undefined;
  #target: SystemTarget | undefined;
  #isRoaming = false;

  constructor(options: SystemSettingsOptions) {
    this.#options = { ...options, host: { ...options.host, stopping: this.#stopping.signal } };
  }

  /** Applies a configuration, after the one that is being applied. */
  follow(agent: AgentConfiguration): void {
    this.#next = agent;
    this.#applying ??= this.#applyAll();
  }

  /** Ends what is under way. The next agent continues. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#applying;
  }

  async #applyAll(): Promise<void> {
    for (let agent = this.#next; agent && !this.#stopping.signal.aborted; agent = this.#next) {
      this.#next = undefined;
      try {
        await this.#apply(agent);
        this.#say('settings', undefined);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        this.#say('settings', { kind: 'system-trouble', reason });
      }
    }
    this.#applying = undefined;
  }

  async #apply(agent: AgentConfiguration): Promise<void> {
    const { home, host, isRoot, manufacturer } = this.#options;
    const target = systemTarget(agent, manufacturer(), host.hostName);
    if (!isRoot) {
      if (target.files.length === 0) return;
      throw new Error('the agent is not root, so it does not apply the settings of the system');
    }
    const { files, troubles } = await applyFiles(target.files, home, host);
    for (const { path, state, reason } of files) {
      this.#say(
        path,
        state === 'unchanged' ? undefined : { kind: 'system-file', path, state, reason },
      );
    }
    const reason = troubles.join('; ');
    this.#say('troubles', reason === '' ? undefined : { kind: 'system-trouble', reason });
    this.#target = target;
    if (!this.#isRoaming) void this.#roam();
  }

  /** Connects to networks while the configuration has any, or a hotspot. */
  async #roam(): Promise<void> {
    const { clock, host } = this.#options;
    const { signal } = this.#stopping;
    this.#isRoaming = true;
    let state = ONLINE;
    while (!signal.aborted && this.#target && hasProfiles(this.#target)) {
      const { networks, hotspot } = this.#target;
      const seen = await observe(host);
      this.#say('nmcli', seen.ok ? undefined : { kind: 'system-trouble', reason: seen.error });
      if (seen.ok) {
        const terms = { networks: networks.map(({ uuid }) => uuid), hotspot: hotspot?.uuid };
        const step = roam(state, seen.value, terms, clock.monotonic());
        state = step.state;
        if (step.command) await this.#command(step.command, this.#target);
      }
      const pause = state.offlineSince === undefined ? WHILE_ONLINE_MS : WHILE_OFFLINE_MS;
      await clock.sleep(pause, signal).catch(() => undefined);
    }
    this.#isRoaming = false;
  }

  async #command(one: RoamingCommand, { networks, hotspot }: SystemTarget): Promise<void> {
    const profile = [...networks, hotspot].find((each) => each?.uuid === one.uuid);
    const done = await command(this.#options.host, one);
    const reason = done.ok ? undefined : done.error;
    const event = { kind: 'network', change: one.kind, ssid: profile?.ssid ?? '', reason } as const;
    this.#say(`${one.kind} ${one.uuid}`, event);
  }

  /** Reports an event, unless it is the same failure of the same subject as before. */
  #say(subject: string, event: SystemEvent | undefined): void {
    const words = JSON.stringify(event);
    const isNew = event && this.#said.get(subject) !== words;
    if (isNew && !this.#stopping.signal.aborted) this.#options.onEvent(event);
    if (event?.reason === undefined) this.#said.delete(subject);
    else this.#said.set(subject, words);
  }
}

function hasProfiles({ networks, hotspot }: SystemTarget): boolean {
  return networks.length > 0 || hotspot !== undefined;
}
