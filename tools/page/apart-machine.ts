import { setTimeout as pause } from 'node:timers/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secret, type Secret } from '../../src/core/index.ts';
import type { Catalogue } from '../../src/server/index.ts';
import { formatTime } from '../../src/core/text/rfc3339.ts';
import { planDocumentsOf } from '../../src/host/plan-documents.ts';
import type { DocumentFile } from '../../src/host/document-file.ts';
import { noneServed } from '../../src/host/served/served-state.ts';
import { SiteFollower } from '../../src/host/served/site-follower.ts';
import { LogSender } from '../../src/logs/log-sender.ts';
import { openLog, type LogFile } from '../../src/logs/log-file.ts';
import { commandClient } from '../../src/registry/command-client.ts';
import { configClient } from '../../src/registry/config-client.ts';
import { fleetClient } from '../../src/registry/fleet-client.ts';
import { secretClient } from '../../src/registry/secret-client.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { machineReport, reportedState } from '../../test/support/machine-report.ts';
import { skippingClock, type TestClock } from '../../test/support/clock.ts';
import { tokenIn, type FollowedSite } from './followed-site.ts';

/** The parts of an agent that talk to its site, with a link that can be cut and a clock that can be moved: no agent waits for ten minutes here. */
export interface ApartMachine {
  readonly clock: TestClock;
  readonly log: LogFile;
  /** What it said to the person at the machine. */
  readonly notices: readonly string[];
  /** Cut: nothing arrives. Deaf: requests arrive, and no answer does. */
  link: 'well' | 'cut' | 'deaf';
  /** Reports its state, by a clock that shows this time. */
  readonly report: (at: number, isSynchronized?: boolean) => Promise<void>;
  /** Saves a machine config as its next revision. */
  readonly save: (config: object) => void;
  /** Has it ask its site at once. */
  readonly ask: () => void;
  /** Sends its log; the result is whether all of it was sent. */
  readonly sendLog: () => Promise<boolean>;
  readonly end: () => Promise<void>;
}

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20);
}

function opened<T>(result: { readonly ok: true; readonly value: T } | { readonly ok: false }): T {
  if (!result.ok) throw new Error(`${JSON.stringify(result)} is not to be`);
  return result.value;
}

/** A machine with this id, which follows the site once it is asked to. */
export function apartMachine({ address, catalogue }: FollowedSite, id: string): ApartMachine {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-apart-'));
  const key = secret(tokenIn(catalogue, id, `machine:${id}`));
  const log = openLog(join(folder, 'logs.db'), 'create');
  const fetchLinked = linked(() => machine.link);
  const limits = { retryWithinMs: 0 };
  const options = { clock: systemClock, fetch: fetchLinked, token: () => key, limits };
  const to = { kind: 'modreg', url: new URL(address) } as const;
  const fleet = opened(fleetClient(to, 'report to', options));
  const sender = senderOf({ id, address, key, fetch: fetchLinked });
  const notices: string[] = [];
  const clock = skippingClock();
  const follower = followerOf({ id, folder, clock, notices, to, options });
  const ending = new AbortController();
  let running: Promise<void> | undefined;
  let states = 0;
  const machine: ApartMachine = {
    clock,
    log,
    notices,
    link: 'well',
    async report(at, synchronized) {
      const state = { ...reportedState(++states, {}), at: formatTime(at), synchronized };
      await fleet.report(id, machineReport([], { state, queue: `queue-of-${id}` }), ending.signal);
    },
    save: savingOf(catalogue, id),
    ask() {
      running ??= follower.run(ending.signal);
      follower.wake();
    },
    sendLog: async () => (await sender.drain(log, ending.signal)) === undefined,
    async end() {
      ending.abort();
      await running;
      log.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return machine;
}

/** The network as the link of a machine lets it through. */
function linked(link: () => ApartMachine['link']): typeof fetch {
  return async (...request) => {
    if (link() === 'cut') throw new TypeError('the link is cut');
    const answer = await fetch(...request);
    if (link() === 'deaf') throw new TypeError('the answer is lost');
    return answer;
  };
}

function savingOf({ configs }: Catalogue, machine: string): ApartMachine['save'] {
  return (config) => {
    const basedOn = configs.newest(machine)?.revision ?? 0;
    const about = { machine, author: 'token t2 (ops)', reason: 'a test', at: Date.now() };
    configs.save({ ...about, config: JSON.stringify(config), policy: undefined, basedOn });
  };
}

interface Sending {
  readonly id: string;
  readonly address: string;
  readonly key: Secret;
  readonly fetch: typeof fetch;
}

function senderOf({ id, address, key, fetch: fetchLinked }: Sending): LogSender {
  const authorization = secret(`Bearer ${key.reveal()}`);
  const value = { endpoint: `${address}/v1/logs`, headers: { authorization } };
  return new LogSender(
    { ok: true, value },
    {
      source: { machineId: id, host: id, version: '1.0.0' },
      clock: systemClock,
      fetch: fetchLinked,
      random: () => 0,
      onNotice: () => undefined,
    },
  );
}

function document(path: string, value: object): DocumentFile {
  return { path, bytes: Buffer.from(JSON.stringify(value)), mode: 0o600 };
}

async function none(): Promise<{ readonly ok: false; readonly error: string }> {
  return await Promise.resolve({ ok: false, error: 'there is none' });
}

interface Following {
  readonly id: string;
  readonly folder: string;
  readonly clock: TestClock;
  readonly notices: string[];
  readonly to: Parameters<typeof configClient>[0];
  readonly options: Parameters<typeof configClient>[1];
}

function followerOf({ id, folder, clock, notices, to, options }: Following): SiteFollower {
  const own = opened(
    planDocumentsOf(
      {
        machine: document('machine.json', {}),
        policy: document('policy.json', { trust: 'unsigned' }),
      },
      undefined,
    ),
  );
  return new SiteFollower(
    {
      client: opened(configClient(to, options)),
      secrets: opened(secretClient(to, options)),
      commanded: {
        client: opened(commandClient(to, options)),
        proof: async () => await Promise.resolve(undefined),
        isPinned: () => false,
        trust: none,
        reading: () => ({ now: clock.now(), clock: undefined }),
        carryOut: async () => await Promise.resolve({ result: 'done', detail: 'it is done' }),
      },
      home: folder,
      clock,
      intervalMs: 60_000,
      own: () => own,
      trust: none,
      deployed: () => undefined,
      onChange: () => undefined,
      onNotice: (_level, text) => void notices.push(text),
    },
    noneServed(to.url.origin, id),
  );
}
