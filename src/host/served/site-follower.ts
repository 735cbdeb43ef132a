import { verdictOn, type FollowingMachine } from '../../config/served/verdict.ts';
import { excerpt } from '../../core/text/quote.ts';
import type { ServedConfig } from '../../core/trust/served-config.ts';
import type { Clock } from '../../registry/clock.ts';
import type { ConfigClient } from '../../registry/config-client.ts';
import type { SecretClient } from '../../registry/secret-client.ts';
import { RegistryError } from '../../registry/registry-error.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import type { PlanDocuments } from '../plan-documents.ts';
import { localOf } from './effective.ts';
import { refreshSecrets } from './kept-secrets.ts';
import { commandRound, type CommandedMachine } from './site-commands.ts';
import {
  accepted,
  hasRefused,
  keepState,
  knownTag,
  reached,
  refusing,
  returned,
  type ServedState,
} from './served-state.ts';

/** A machine that follows the documents of its site. */
export interface FollowedSite {
  readonly client: Pick<ConfigClient, 'served' | 'answer'>;
  readonly secrets: Pick<SecretClient, 'values'>;
  readonly commanded: CommandedMachine;
  /** The folder of its state. */
  readonly home: string;
  readonly clock: Clock;
  /** How often it asks, in milliseconds. */
  readonly intervalMs: number;
  /** Its own documents as they were read last. */
  readonly own: () => PlanDocuments;
  /** The trust document that its policy names. */
  readonly trust: () => Promise<FollowingMachine['trust']>;
  readonly deployed: FollowingMachine['deployed'];
  /** Called when it runs other documents, and when it is given commands. */
  readonly onChange: () => void;
  readonly onNotice: (level: 'info' | 'warn', text: string) => void;
}

/** How long a machine may be cut off under a new revision (D268). */
const PROVISIONAL_MS = 10 * 60_000;
/** Changed settings of the system, such as networks, take effect in this time: an answer before then says nothing. */
const SETTLING_MS = 30_000;
/** While a revision is provisional, the site is asked at least so often. */
const ASKING_MS = 15_000;

/** Follows the documents of a site: fetches, judges, keeps and answers. */
export class SiteFollower {
  readonly #site: FollowedSite;
  #state: ServedState;
  /** When it began to run what it runs, on the monotonic clock. */
  #since: number;
  /** When an answer of the site says that it is reached, on the same clock. */
  #settledAt: number;
  /** The answer that the site has. */
  #told = '';
  /** What was said last of why the site is not followed. */
  #said: string | undefined;
  #isUnreached = false;
  #isUncommanded = false;
  /** Whether the last question for commands found the site out of reach. */
  #isOut = false;
  #woken = new AbortController();

  constructor(site: FollowedSite, state: ServedState) {
    this.#site = site;
    this.#state = state;
    this.#since = site.clock.monotonic();
    this.#settledAt = this.#since;
  }

  get state(): ServedState {
    return this.#state;
  }

  /** The tag of the documents that need not be looked at again. */
  get knownTag(): string {
    return knownTag(this.#state);
  }

  /** The highest number of a command that it has taken; 0 for none. */
  get taken(): number {
    return this.#state.commands?.taken ?? 0;
  }

  /** Asks at once: something else is served, or a command is given. */
  wake(): void {
    this.#woken.abort();
  }

  /** Follows until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#site;
    while (!signal.aborted) {
      this.#woken = new AbortController();
      await this.#round(signal);
      await this.#commands(signal);
      const either = AbortSignal.any([signal, this.#woken.signal]);
      await clock.sleep(this.#waitMs, either).catch(() => undefined);
    }
  }

  get #waitMs(): number {
    const { clock, intervalMs } = this.#site;
    if (!this.#state.provisional) return intervalMs;
    const left = this.#since + PROVISIONAL_MS - clock.monotonic();
    return Math.max(0, Math.min(intervalMs, ASKING_MS, left));
  }

  async #round(signal: AbortSignal): Promise<void> {
    try {
      const { client } = this.#site;
      const { machine } = this.#state;
      const served = await client.served(machine, knownTag(this.#state), signal);
      await this.#refreshSecrets(served, signal);
      if (served) await this.#judge(served);
      await this.#answer(signal);
      if (this.#isUnreached) this.#notice('info', 'the documents of the site can be read again');
      this.#isUnreached = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RegistryError || error instanceof DatabaseError)) throw error;
      this.#sayUnreached(error);
    }
    this.#returnIfOverdue();
  }

  /** Before documents are used: their modules start with the values (D365, T763). */
  async #refreshSecrets(
    served: ServedConfig | null | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { home, secrets, onChange } = this.#site;
    const { site, machine, current, provisional } = this.#state;
    const documents = [served, current, provisional?.earlier];
    const isChanged = await refreshSecrets(
      { home, site, machine },
      documents,
      async () => await secrets.values(machine, signal),
    );
    if (isChanged) onChange();
  }

  /** Carries out the commands of the site. That documents cannot be read is another matter. */
  async #commands(signal: AbortSignal): Promise<void> {
    const { clock, commanded, onChange: onNews } = this.#site;
    try {
      const state = (): ServedState => this.#state;
      const become = (next: ServedState): boolean => this.#become(next);
      const onNotice = (level: 'info' | 'warn', text: string): void => this.#notice(level, text);
      await commandRound({ ...commanded, clock, state, become, onNews, onNotice }, signal);
      this.#isUncommanded = false;
      this.#isOut = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof RegistryError || error instanceof DatabaseError)) throw error;
      const wasOut = this.#isOut;
      this.#isOut = OUT_OF_REACH.has(error.kind);
      // The next question for documents says the same of a site that is out of reach for both.
      const isSaid = this.#isUncommanded || this.#isUnreached || (this.#isOut && !wasOut);
      if (isSaid) return;
      this.#notice('warn', `commands of the site cannot be taken: ${error.message}`);
      this.#isUncommanded = true;
    }
  }

  /** Tells the site what the machine runs and refuses, unless it knows. An answer also says that the site is reached. */
  async #answer(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#site;
    const asked = clock.monotonic();
    const { current, refused, machine, provisional } = this.#state;
    const applied = current?.revision ?? null;
    const { revision = 0, code = '', detail = '' } = refused ?? {};
    const answer = { applied, refused: refused ? { revision, code, detail } : null };
    const text = JSON.stringify(answer);
    const isUnsaid = text !== this.#told && (current !== undefined || refused !== undefined);
    if (isUnsaid || provisional) await client.answer(machine, answer, signal);
    this.#told = text;
    if (provisional && asked >= this.#settledAt) this.#become(reached(this.#state));
  }

  async #judge(served: ServedConfig): Promise<void> {
    const { clock, own, trust, deployed } = this.#site;
    const state = this.#state;
    const local = localOf(own());
    const verdict = verdictOn(served, {
      machine: state.machine,
      local,
      inForce: state.current,
      highest: state.highest,
      unreached: state.unreached,
      isUnproven: state.isUnproven,
      least: state.least,
      trust: await trust(),
      deployed,
      now: clock.now(),
    });
    if (!verdict.ok) {
      const { code, detail } = verdict.error;
      const short = { code, detail: excerpt(detail, LONGEST_DETAIL) };
      // Said before, and looked at again in each round (D447).
      if (hasRefused(state, served, short)) return;
      if (!this.#become(refusing(state, served, short))) return;
      const stays = state.current
        ? `revision ${state.current.revision} stays`
        : 'its own documents stay';
      const what = `revision ${served.revision} of the site is refused`;
      this.#notice('warn', `${what}: ${code}: ${short.detail}; ${stays} in use`);
      // It has ended the wait for changes.
      return this.#site.onChange();
    }
    const isNew = state.current?.revision !== served.revision;
    if (!this.#become(accepted(state, served, verdict.value, clock.now())) || !isNew) return;
    this.#since = clock.monotonic();
    const settles = changesSystem(state.current, served);
    this.#settledAt = this.#since + (settles ? SETTLING_MS : 0);
    this.#notice('info', `revision ${served.revision} of the site is in use`);
    this.#site.onChange();
  }

  #returnIfOverdue(): void {
    const { clock, onChange } = this.#site;
    const { provisional } = this.#state;
    if (!provisional || clock.monotonic() - this.#since < PROVISIONAL_MS) return;
    if (!this.#become(returned(this.#state, clock.now()))) return;
    const { refused, current } = this.#state;
    const back = current ? `revision ${current.revision}` : 'what its own documents say';
    this.#notice('warn', `${refused?.detail ?? ''}: ${back} is in use again`);
    onChange();
  }

  /** Whether the state is on the disk: what is not does not count. */
  #become(next: ServedState): boolean {
    try {
      keepState(this.#site.home, next);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      this.#say(`the documents of the site cannot be kept (${code}), and are not used`);
      return false;
    }
    this.#state = next;
    return true;
  }

  #sayUnreached({ message }: Error): void {
    if (this.#isUnreached) return;
    this.#isUnreached = true;
    this.#said = undefined;
    const stays = this.#state.current
      ? `revision ${this.#state.current.revision} stays`
      : 'its own documents stay';
    this.#say(`the documents of the site cannot be read: ${message}; ${stays} in use`);
  }

  /** Says once why the site is not followed. */
  #say(text: string): void {
    if (this.#said === text) return;
    this.#said = text;
    this.#notice('warn', text);
  }

  #notice(level: 'info' | 'warn', text: string): void {
    this.#site.onNotice(level, text);
  }
}

const LONGEST_DETAIL = 900;
const OUT_OF_REACH: ReadonlySet<string> = new Set([
  'registry-unreachable',
  'registry-timeout',
  'registry-busy',
]);

/** Whether a revision may change settings of the system, which are in its `agent`. */
function changesSystem(before: ServedConfig | undefined, after: ServedConfig): boolean {
  return /"agent"/.test(before?.config ?? '') || /"agent"/.test(after.config);
}
