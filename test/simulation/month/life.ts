import { join } from 'node:path';
import type { World } from '../../../src/base/world.ts';
import { followedStart, type SiteTarget } from '../../../src/cli/poll/followed-site.ts';
import { watchRequests } from '../../../src/cli/poll/watched-requests.ts';
import { secret } from '../../../src/core/index.ts';
import { commandRegistries } from '../../../src/host/command-registries.ts';
import type { StartDocuments } from '../../../src/host/kept-documents.ts';
import { claimState } from '../../../src/host/open-state.ts';
import { Poller, type Delivery } from '../../../src/poller/index.ts';
import type { Clock } from '../../../src/registries/index.ts';
import { commandClient } from '../../../src/registry/command-client.ts';
import { configClient } from '../../../src/registry/config-client.ts';
import { secretClient } from '../../../src/registry/secret-client.ts';
import { savedListsIn } from '../../../src/store/index.ts';
import { restful, type Work } from '../attacks/work.ts';
import type { Chance } from '../chance.ts';
import { aboutOf } from './radio.ts';
import { MACHINE, REGISTRY } from './site.ts';

/** How often it asks without news. */
const INTERVAL_MS = 30 * 60_000;
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

/** The random numbers of each actor: which of two acts first does not shift those of the other. */
export type Chances = (actor: string) => Chance;

export interface Setting {
  readonly clock: Clock;
  readonly work: Work;
  readonly chances: Chances;
  readonly fetch: typeof globalThis.fetch;
  readonly token: string;
  /** Its own documents. */
  readonly documents: { readonly config: object; readonly policy: object };
  readonly watch: Watch;
  /** Whether a version works. */
  readonly works: (version: string) => boolean;
}

/** One process of the machine. */
export interface Life {
  isDead: boolean;
  readonly world: World;
  readonly look: () => void;
  readonly stop: () => Promise<void>;
}

export interface LifeSetting extends Setting {
  readonly folder: string;
  readonly home: string;
  readonly running: Map<string, string>;
  /** How far its clock is ahead, and whether its system says that it is not right. */
  readonly time: { aheadMs: number; isCertain: boolean };
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

function boundTo(
  life: { isDead: boolean },
  { watch, chances, work, ...setting }: LifeSetting,
): Bound {
  const { time, onKilled } = setting;
  const alive = async (): Promise<void> => {
    if (life.isDead) await work.waiting(async () => await new Promise(() => undefined));
  };
  const point = async (name: string): Promise<void> => {
    await alive();
    if (watch.onPoint(name)) onKilled(chances('kills').between(1000, 120_000));
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

/** Starts a process of the machine, as `modreg poll --config-from` does, with a consumer in place of programs. */
export function lifeOf(setting: LifeSetting): Life {
  const { folder, chances, watch, closing, onKilled } = setting;
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
  const { secretOf, read } = start.value;
  const poller = pollerOf({ file: file.value, clock, registries, secretOf, read, world }, setting);
  poller.start();
  const ending = new AbortController();
  const onNotice = (_level: string, text: string): void => {
    if (dying.isDead) return;
    watch.onNotice(text);
    const watching = { file: file.value, poller, clock };
    if (text.includes(' is carried out: ')) void watchWhile(watching, ending.signal);
    if (watch.onPoint(`says ${pointIn(text)}`)) onKilled(chances('kills').between(1000, 120_000));
  };
  const onChange = (): void => poller.look({ rereads: true });
  const parts = { file: file.value, registries, intervalMs: INTERVAL_MS, onChange, onNotice };
  const unfollow = start.value.follow(parts);
  const consumed = consume(poller, { ...setting, clock, point });
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

/** What a notice is about, without its numbers and reasons. */
function pointIn(text: string): string {
  const words = ['is carried out', 'is in use again', 'is in use', 'is done', 'is refused'];
  return words.find((one) => text.includes(one)) ?? 'something else';
}

type PollerParts = Pick<ConstructorParameters<typeof Poller>[0], 'file' | 'clock' | 'secretOf'> & {
  readonly registries: ReturnType<typeof commandRegistries>;
  readonly read: StartDocuments['read'];
  readonly world: World;
};

function pollerOf(
  { registries, read, world, ...parts }: PollerParts,
  { chances, running }: LifeSetting,
): Poller {
  return new Poller({
    ...parts,
    intervalMs: INTERVAL_MS,
    machineId: MACHINE,
    platform: 'linux/arm64',
    random: chances('poller').next,
    environment: world.environment,
    configuration() {
      const found = read();
      if (!found.ok) throw new Error(JSON.stringify(found.error));
      return found.value;
    },
    registryFor: (terms) => registries.registryFor(terms),
    deployedVersion: ({ name }) => running.get(name) ?? null,
    onEvent: () => undefined,
  });
}

/** What a command requests is looked at as `modreg poll` does, for as long as it may matter: months have many half seconds. */
async function watchWhile(
  {
    file,
    poller,
    clock,
  }: { readonly poller: Poller; readonly clock: Clock } & {
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
  { clock, chances, running, works, watch, point }: LifeSetting & Bound,
): Promise<void> {
  for await (const { action, done, failed } of poller.deliveries()) {
    const { target, to } = action;
    const { name } = target;
    await point(`delivered ${name}`);
    watch.onDelivery(action);
    await clock.sleep(chances(`install ${name}`).between(2000, 90_000));
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

function worldOf({ home, token, time, clock, chances }: LifeSetting): World {
  const environment = {
    PLATFORM_HOME: home,
    PLATFORM_PART_ID: MACHINE,
    MODREG_TOKEN: token,
    MODREG_REGISTRY: REGISTRY,
  };
  return {
    environment,
    platform: 'linux/arm64',
    isTerminal: false,
    isAnswerShown: false,
    columns: undefined,
    clock: () => clock.now(),
    timer: clock,
    random: chances('world').next,
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
function targetOf({
  token,
  clock,
  fetch,
}: Pick<LifeSetting, 'token'> & Omit<Bound, 'point'>): SiteTarget {
  const address = { kind: 'modreg', url: new URL(REGISTRY) } as const;
  const sent = { clock, fetch, token: () => secret(token) };
  const [client, commands, secrets] = [
    configClient(address, sent),
    commandClient(address, sent),
    secretClient(address, sent),
  ];
  if (!client.ok || !commands.ok || !secrets.ok) throw new Error('the address is wrong');
  return {
    client: client.value,
    commands: commands.value,
    secrets: secrets.value,
    machine: MACHINE,
    origin: address.url.origin,
  };
}
