import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { World } from '../../../src/base/world.ts';
import { followedStart, type SiteTarget } from '../../../src/cli/poll/followed-site.ts';
import { watchRequests } from '../../../src/cli/poll/watched-requests.ts';
import { secret } from '../../../src/core/index.ts';
import { commandRegistries } from '../../../src/host/command-registries.ts';
import { claimState } from '../../../src/host/open-state.ts';
import { holdsOn } from '../../../src/host/requests/holds.ts';
import { Poller, type Delivery } from '../../../src/poller/index.ts';
import type { Clock } from '../../../src/registries/index.ts';
import { commandClient } from '../../../src/registry/command-client.ts';
import { configClient } from '../../../src/registry/config-client.ts';
import type { CachedRegistry } from '../../../src/registry/registry.ts';
import { secretClient } from '../../../src/registry/secret-client.ts';
import { savedListsIn } from '../../../src/store/index.ts';
import { restful, type Work } from '../attacks/work.ts';
import type { Chance } from '../chance.ts';
import type { Kept } from './judge.ts';
import { aboutOf } from './radio.ts';
import { MACHINE, REGISTRY } from './site.ts';

/** How often it asks without news. */
const INTERVAL_MS = 20 * 60_000;
const KEPT = 'machine.db.served';
/** For so long after a command it looks for what other commands request. */
const WATCH_MS = 10_000;

/** What a rover has to say for its judge. */
export interface Watch {
  /** Whether the process is killed at this point. */
  readonly onPoint: (point: string) => boolean;
  readonly onNotice: (text: string) => void;
  /** An action begins, which stops what runs. */
  readonly onDelivery: (delivery: Delivery['action']) => void;
  readonly onStart: (name: string, version: string) => void;
}

interface Setting {
  readonly clock: Clock;
  readonly work: Work;
  readonly chance: Chance;
  readonly fetch: typeof globalThis.fetch;
  readonly token: string;
  /** Its own documents. */
  readonly documents: { readonly config: object; readonly policy: object };
  readonly watch: Watch;
  /** Whether a version works. */
  readonly works: (version: string) => boolean;
}

/** A machine that follows its site: its processes, its disk, and what runs. */
export interface Rover {
  /** The versions that run, by the name of their entry. */
  readonly running: ReadonlyMap<string, string>;
  /** What it has of its site, as it is on its disk. */
  readonly kept: () => Kept | undefined;
  readonly holds: () => readonly { readonly of: string; readonly by: string; readonly since: number }[];
  /** How far its clock is ahead, and whether its system says that it is not right. */
  readonly time: { aheadMs: number; isCertain: boolean };
  readonly isUp: () => boolean;
  /** Ends its process as a kill does, and starts another one after `ms`. */
  readonly kill: (ms: number) => void;
  readonly restart: () => Promise<void>;
  /** Removes what it has of its site. */
  readonly loseState: () => Promise<void>;
  /** The surroundings of a command on the machine. */
  readonly world: () => World;
  /** Lets its poller look at what a command on the machine requested. */
  readonly look: () => void;
  readonly stop: () => Promise<void>;
}

/** One process of the machine. */
interface Life {
  isDead: boolean;
  readonly world: World;
  readonly look: () => void;
  readonly stop: () => Promise<void>;
}

export function roverWith(setting: Setting): Rover {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-rover-'));
  const { documents } = setting;
  writeFileSync(join(folder, 'machine.json'), JSON.stringify(documents.config));
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(documents.policy));
  const time = { aheadMs: 0, isCertain: true };
  const running = new Map<string, string>();
  const closing: (() => void)[] = [];
  let homes = 0;
  let life: Life | undefined;
  const home = (): string => join(folder, `${homes}`);
  mkdirSync(home());
  const begin = (): void => {
    life = lifeOf({ ...setting, folder, home: home(), running, time, closing, onKilled: kill });
  };
  function kill(ms: number): void {
    if (!life) return;
    life.isDead = true;
    life = undefined;
    // What the dead process still does is on another disk.
    const [from, to] = [home(), join(folder, `${++homes}`)];
    const isKept = (path: string): boolean => !/-shm$|lock/.test(path);
    cpSync(from, to, { recursive: true, filter: isKept });
    void setting.clock.sleep(ms).then(() => {
      if (!life) begin();
    });
  }
  const ended = async (): Promise<void> => {
    const { stop } = life ?? {};
    life = undefined;
    await stop?.();
  };
  begin();
  return {
    running,
    time,
    kept: () => keptIn(home()),
    holds: () => heldOn(life),
    isUp: () => life !== undefined,
    kill,
    async restart() {
      await ended();
      begin();
    },
    async loseState() {
      await ended();
      rmSync(join(home(), KEPT), { force: true });
      begin();
    },
    world() {
      if (!life) throw new Error('no process runs');
      return life.world;
    },
    look: () => life?.look(),
    async stop() {
      await ended();
      for (const close of closing) close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function heldOn(life: Life | undefined): ReturnType<Rover['holds']> {
  const found = life && holdsOn(life.world);
  if (!found?.ok) return [];
  return found.value.holds.map(({ of, by, since }) => ({ of: of.name, by, since }));
}

function keptIn(home: string): Kept | undefined {
  try {
    // A cast: its judge finds out what it is.
    return JSON.parse(readFileSync(join(home, KEPT), 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

interface LifeSetting extends Setting {
  readonly folder: string;
  readonly home: string;
  readonly running: Map<string, string>;
  readonly time: Rover['time'];
  readonly closing: (() => void)[];
  readonly onKilled: (ms: number) => void;
}

/** How a process of the machine is bound to its life. */
interface Bound {
  /** Never returns to a dead process, and may kill it. */
  readonly point: (name: string) => Promise<void>;
  readonly clock: Clock;
  readonly fetch: typeof globalThis.fetch;
}

function boundTo(life: { isDead: boolean }, { watch, chance, work, ...setting }: LifeSetting): Bound {
  const { time, onKilled } = setting;
  const alive = async (): Promise<void> => {
    if (life.isDead) await work.waiting(async () => await new Promise(() => undefined));
  };
  const point = async (name: string): Promise<void> => {
    await alive();
    if (watch.onPoint(name)) onKilled(chance.between(1000, 120_000));
    await alive();
  };
  const real = restful(setting.clock, work);
  const clock: Clock = {
    now: () => real.now() + time.aheadMs,
    monotonic: () => real.monotonic(),
    async sleep(ms, signal) {
      await real.sleep(ms, signal).finally(alive);
    },
  };
  return {
    point,
    clock,
    async fetch(input, init) {
      const about = aboutOf(new URL(input instanceof Request ? input.url : input));
      await point(`before ${about}`);
      const answer = await setting.fetch(input, init).finally(alive);
      await point(`after ${about}`);
      return answer;
    },
  };
}

function lifeOf(setting: LifeSetting): Life {
  const { folder, home, work, chance, watch, time, closing, onKilled } = setting;
  const dying = { isDead: false };
  const { point, clock, fetch } = boundTo(dying, setting);
  const world = worldOf({ ...setting, clock });
  const target = targetOf({ ...setting, clock, fetch });
  const start = followedStart(join(folder, 'machine.json'), { target }, world);
  if (!start.ok) throw new Error(JSON.stringify(start.error));
  const file = claimState(world);
  if (!file.ok) throw new Error(file.error.message);
  closing.push(() => file.value.close());
  const saved = savedListsIn(file.value);
  const requests = { ...start.value.requests, fetch };
  const registries = commandRegistries(
    { machinePath: join(folder, 'machine.json'), saved, requests },
    world,
  );
  const poller = new Poller({
    file: file.value,
    clock,
    intervalMs: INTERVAL_MS,
    machineId: MACHINE,
    platform: 'linux/arm64',
    random: chance.next,
    environment: world.environment,
    secretOf: start.value.secretOf,
    configuration() {
      const read = start.value.read();
      if (!read.ok) throw new Error(JSON.stringify(read.error));
      return read.value;
    },
    registryFor: (terms) => busy(registries.registryFor(terms), work),
    deployedVersion: ({ name }) => setting.running.get(name) ?? null,
    onEvent: () => undefined,
  });
  poller.start();
  const ending = new AbortController();
  const onNotice = (_level: string, text: string): void => {
    if (dying.isDead) return;
    watch.onNotice(text);
    if (text.endsWith('is carried out') || text.includes('is carried out: ')) {
      const signal = AbortSignal.any([ending.signal]);
      void watchWhile({ file: file.value, poller, clock }, signal);
    }
    if (watch.onPoint(`says ${text.slice(0, 60)}`)) onKilled(chance.between(1000, 120_000));
  };
  const onChange = (): void => poller.look({ rereads: true });
  const parts = { file: file.value, registries, intervalMs: INTERVAL_MS, onChange, onNotice };
  const unfollow = start.value.follow(parts);
  const consumed = consume(poller, { ...setting, clock, point });
  void [time, home];
  return Object.assign(dying, {
    world,
    look: () => poller.look(),
    async stop() {
      ending.abort();
      unfollow();
      await poller.stop();
      await consumed;
      registries.close();
      file.value.close();
    },
  });
}

/** What a command requests is looked at as `modreg poll` does, for as long as it may matter: months have many half seconds. */
async function watchWhile(
  { file, poller, clock }: { readonly poller: Poller; readonly clock: Clock } & {
    readonly file: Parameters<typeof watchRequests>[0];
  },
  ending: AbortSignal,
): Promise<void> {
  const watching = new AbortController();
  const signal = AbortSignal.any([watching.signal, ending]);
  void watchRequests(file, () => poller.look(), { clock, signal });
  await clock.sleep(WATCH_MS, ending).catch(() => undefined);
  watching.abort();
}

async function consume(
  poller: Poller,
  { clock, chance, running, works, watch, point }: LifeSetting & Bound,
): Promise<void> {
  for await (const { action, done, failed } of poller.deliveries()) {
    const { target, to } = action;
    const { name } = target;
    await point(`delivered ${name}`);
    watch.onDelivery(action);
    await clock.sleep(chance.between(2000, 90_000));
    await point(`installed ${name}`);
    if (works(to)) {
      running.set(name, to);
      watch.onStart(name, to);
      await done().catch(() => undefined);
    } else {
      const before = running.get(name) ?? null;
      await failed({ reason: 'ends at once', blame: 'release', running: before }).catch(
        () => undefined,
      );
    }
    await point(`reported ${name}`);
  }
}

/** The clock stands still while lists are read, which takes real time. */
function busy(registry: CachedRegistry, work: Work): CachedRegistry {
  const known = BUSY.get(registry) ?? {
    ...registry,
    readAll: async (...request) => await work.during(async () => await registry.readAll(...request)),
  };
  BUSY.set(registry, known);
  return known;
}

const BUSY = new WeakMap<CachedRegistry, CachedRegistry>();

function worldOf({ home, token, time, clock, chance }: LifeSetting & Pick<Bound, 'clock'>): World {
  const environment = { PLATFORM_HOME: home, PLATFORM_PART_ID: MACHINE, MODREG_TOKEN: token, MODREG_REGISTRY: REGISTRY };
  return {
    environment,
    platform: 'linux/arm64',
    isTerminal: false,
    isAnswerShown: false,
    columns: undefined,
    clock: () => clock.now(),
    timer: clock,
    random: chance.next,
    clockState: () => (time.isCertain ? 'synchronized' : 'unsynchronized'),
    print: () => undefined,
    note: () => undefined,
    log: () => undefined,
    status: () => undefined,
    untilSignal: async () => await new Promise(() => undefined),
    untilStdoutCloses: async () => await new Promise(() => undefined),
  };
}

/** The clients of its site, as `--config-from` makes them. */
function targetOf({ token, work, clock, fetch }: LifeSetting & Bound): SiteTarget {
  const address = { kind: 'modreg', url: new URL(REGISTRY) } as const;
  const sent = { clock, fetch, token: () => secret(token) };
  const [client, commands, secrets] = [
    configClient(address, sent),
    commandClient(address, sent),
    secretClient(address, sent),
  ];
  if (!client.ok || !commands.ok || !secrets.ok) throw new Error('the address is wrong');
  const during =
    <A extends unknown[], T>(ask: (...asked: A) => Promise<T>): ((...asked: A) => Promise<T>) =>
    async (...asked) =>
      await work.during(async () => await ask(...asked));
  const { served, answer } = client.value;
  return {
    client: { ...client.value, served: during(served), answer: during(answer) },
    commands: {
      ...commands.value,
      waiting: during(commands.value.waiting),
      answer: during(commands.value.answer),
    },
    secrets: { ...secrets.value, values: during(secrets.value.values) },
    machine: MACHINE,
    origin: address.url.origin,
  };
}
