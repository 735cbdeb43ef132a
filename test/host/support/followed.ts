import { onTestFinished } from 'vitest';
import { planDocumentsOf } from '../../../src/host/plan-documents.ts';
import { keptState, noneServed, type ServedState } from '../../../src/host/served/served-state.ts';
import type { CommandedMachine } from '../../../src/host/served/site-commands.ts';
import { SiteFollower, type FollowedSite } from '../../../src/host/served/site-follower.ts';
import { systemClock } from '../../../src/registry/clock.ts';
import { commandClient } from '../../../src/registry/command-client.ts';
import { configClient } from '../../../src/registry/config-client.ts';
import { secretClient } from '../../../src/registry/secret-client.ts';
import { secret } from '../../../src/core/index.ts';
import type { ServedConfig } from '../../../src/core/trust/served-config.ts';
import { Catalogue, serveRegistry } from '../../../src/server/index.ts';
import { skippingClock, type TestClock } from '../../support/clock.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry } from '../../support/planned.ts';
import { tokenFor } from '../../support/token.ts';

const MACHINE = 'rover-7';

interface Followed {
  readonly catalogue: Catalogue;
  readonly clock: TestClock;
  readonly home: string;
  /** Saves a machine config as the next revision. */
  readonly save: (config: object) => void;
  /** Resolves once a notice contains the text, with all notices so far. */
  readonly until: (text: string) => Promise<readonly string[]>;
  /** Lets the machine ask at once. */
  readonly ask: () => void;
  readonly state: () => ServedState;
  /** How often the machine was told to run other documents. */
  readonly changes: () => number;
  /** What the machine said last. */
  readonly said: () => object;
  /** Resolves once the site knows that the machine runs and refuses these revisions. */
  readonly untilSaid: (applied: number | undefined, refused?: number) => Promise<void>;
  /** Ends the registry, and serves it again at the same address. */
  readonly cut: () => Promise<void>;
  readonly restore: () => Promise<void>;
}

function bytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

/** A machine that follows a served registry, whose clock a test sets. */
export async function followed(
  trust: FollowedSite['trust'] = async () => ({ ok: false, error: 'there is none' }),
  policy: object = { trust: 'unsigned' },
  commanded: Partial<CommandedMachine> & {
    /** Answers questions about documents in place of the registry. */
    readonly fetch?: typeof globalThis.fetch;
    /** Which documents arrive in place of those of the site. */
    readonly arriving?: (served: ServedConfig) => ServedConfig;
  } = {},
): Promise<Followed> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const serve = async (port: number) => await serveRegistry(catalogue, { host: '127.0.0.1', port });
  let running = await serve(0);
  const { address } = running;
  const token = secret(tokenFor(catalogue, [`machine:${MACHINE}`], MACHINE));
  const url = new URL(address);
  const { fetch, arriving, ...parts } = commanded;
  const sent = { clock: systemClock, token: () => token };
  const client = configClient({ kind: 'modreg', url }, { ...sent, fetch });
  const commands = commandClient({ kind: 'modreg', url }, sent);
  const machine = {
    path: 'machine.json',
    bytes: bytes({ modules: [entry('acme:own', '1.*')] }),
    mode: 0o600,
  };
  const own = planDocumentsOf(
    { machine, policy: { path: 'policy.json', bytes: bytes(policy), mode: 0o600 } },
    undefined,
  );
  const secrets = secretClient({ kind: 'modreg', url }, sent);
  if (!client.ok || !commands.ok || !secrets.ok || !own.ok)
    throw new Error('the address or the documents are wrong');
  const [clock, home] = [skippingClock(), temporaryFolder()];
  const notices: string[] = [];
  let changes = 0;
  let news = Promise.withResolvers<void>();
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const follower = new SiteFollower(
    {
      client: {
        async served(...question) {
          const served = await client.value.served(...question);
          return served && arriving ? arriving(served) : served;
        },
        answer: async (...answer) => {
          await client.value.answer(...answer);
          tell();
        },
      },
      secrets: secrets.value,
      commanded: {
        client: commands.value,
        proof: async () => undefined,
        isPinned: () => false,
        trust: async () => ({ ok: false, error: 'there is none' }),
        reading: () => ({ now: clock.now(), clock: undefined }),
        carryOut: async () => ({ result: 'done', detail: 'a test' }),
        ...parts,
      },
      home,
      clock,
      intervalMs: 60_000,
      own: () => own.value,
      trust,
      deployed: () => undefined,
      onChange: () => void changes++,
      onNotice(level, text) {
        notices.push(`${level} ${text.replace(address, 'SITE')}`);
        tell();
      },
    },
    keptState(home) ?? noneServed(address, MACHINE),
  );
  const ending = new AbortController();
  const ended = follower.run(ending.signal);
  onTestFinished(async () => {
    ending.abort();
    await ended;
    await running.close();
    catalogue.close();
  });
  const { configs } = catalogue;
  const said = (): object => {
    const { at: _at, ...rest } = configs.answer(MACHINE) ?? {};
    return rest;
  };
  return {
    catalogue,
    clock,
    home,
    save(config) {
      configs.save({
        machine: MACHINE,
        basedOn: configs.newest(MACHINE)?.revision ?? 0,
        config: JSON.stringify(config),
        policy: undefined,
        author: 'alice',
        reason: 'a test',
        at: 0,
      });
      follower.wake();
    },
    async until(text) {
      while (!notices.some((one) => one.includes(text))) await news.promise;
      return notices.splice(0);
    },
    ask: () => follower.wake(),
    state: () => follower.state,
    changes: () => changes,
    said,
    async untilSaid(applied, refused) {
      const isSaid = (): boolean => {
        const answer = configs.answer(MACHINE);
        return answer?.applied === applied && answer?.refused?.revision === refused;
      };
      while (!isSaid()) await news.promise;
    },
    cut: async () => await running.close(),
    async restore() {
      running = await serve(Number(url.port));
    },
  };
}
