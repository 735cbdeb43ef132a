import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import {
  indexReleases,
  parseConstraint,
  parseModuleId,
  resolve,
  type ReleaseIndex,
} from '../../src/core/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { systemClock } from '../../src/registry/clock.ts';
import { Catalogue, serveRegistry, type RunningRegistry } from '../../src/server/index.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import { temporaryFolder } from './folder.ts';
import { machineReport, reportedState } from './machine-report.ts';
import { tokenFor } from './token.ts';

/** What a machine does with a release that it gets. */
type Behaviour = 'healthy' | 'fails' | 'is undecided' | 'silent' | 'slow';

/** Machines that poll a served registry and report to it, over HTTP. */
export interface RollingFleet {
  readonly catalogue: Catalogue;
  readonly address: () => string;
  readonly events: RegistryEvent[];
  /** What each machine has deployed. */
  readonly deployed: ReadonlyMap<string, string>;
  /** Each machine reads the list, installs what it selects, and reports. */
  readonly turn: (behaviour?: (id: string) => Behaviour) => Promise<void>;
  /** Those that are slow finish what they began. */
  readonly finish: () => Promise<void>;
  /** The registry runs for so long. */
  readonly pass: (ms: number) => Promise<void>;
  /** The clock of the machine of the registry jumps, and nothing elapses. */
  readonly jump: (ms: number) => Promise<void>;
  /** Time elapses in which no registry runs. */
  readonly restart: (pauseMs: number) => Promise<void>;
  readonly publish: (body: object) => Promise<string>;
  readonly change: (body: object) => Promise<string>;
  readonly state: () => Promise<Record<string, unknown>>;
  /** All rollouts, as the registry lists them. */
  readonly rollouts: () => Promise<unknown>;
  /** The release as the list shows it. */
  readonly listed: () => Promise<Record<string, unknown>>;
  readonly having: (version: string) => string[];
  /** What the metrics of the registry say of its rollouts. */
  readonly counted: () => Promise<object>;
}

const LIDAR = '/v1/modules/acme/lidar';
const ROLLOUT = `${LIDAR}/releases/1.3.0/rollout`;
const MINUTE = 60_000;

interface Simulated {
  readonly id: string;
  deployed: string;
  begun: string | undefined;
  number: number;
  isSilent: boolean;
}

/** A status, and a parsed body. */
type Answer = readonly [status: number, json: Record<string, unknown>];

/**
 * Asks on a connection of its own: the server may end one that is idle while hours of the virtual clock pass. `fetch` would make an
 * error of each connection that is closed, whose stack takes a fifth of the time of these tests.
 */
async function asked(url: string, bearer: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
  const sent = request(url, { agent: false, headers, method: body ? 'POST' : 'GET' });
  sent.end(body && JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return [answer.statusCode ?? 0, Object(await json(answer))];
}

function summary([status, body]: Answer): string {
  return status < 300 ? `${status}` : `${status} ${String(body['detail'])}`;
}

/**
 * A registry that serves acme:lidar 1.2.9, and `count` machines that have it, and reported so unless they are `unheard`. Each is in the
 * group that `groups` names by its id, at the time when it reports or decides.
 */
export async function rollingFleet(
  count: number,
  first: 'reported' | 'unheard' = 'reported',
  groups: ReadonlyMap<string, string> = new Map(),
): Promise<RollingFleet> {
  const catalogue = new Catalogue(`${temporaryFolder()}/registry.db`, { mode: 'create' });
  const time = { now: Date.parse('2026-11-21T01:02:03Z'), elapsed: 0 };
  const clock = { ...systemClock, now: () => time.now, monotonic: () => time.elapsed };
  const events: RegistryEvent[] = [];
  const log = (event: RegistryEvent): void => void events.push(event);
  const serve = async (): Promise<RunningRegistry> => {
    const place = { host: '127.0.0.1', port: 0 };
    const served = await serveRegistry(catalogue, place, { spreadMs: 0, clock, log });
    await served.stepRollouts();
    return served;
  };
  let running = await serve();
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const token = tokenFor(catalogue, ['publish', 'yank', 'rollout', 'fleet:read'], 'person');
  const ask = async (path: string, bearer: string, body?: object): Promise<Answer> =>
    await asked(`${running.address}${path}`, bearer, body);
  const ids = Array.from({ length: count }, (_, place) => `rover-${place + 1}`);
  const reporting = tokenFor(
    catalogue,
    ids.map((id) => `machine:${id}`),
    'machines',
  );
  const machines = ids.map((id): Simulated => ({
    id,
    deployed: '1.2.9',
    begun: undefined,
    number: 0,
    isSilent: false,
  }));
  let state = 0;
  const report = async (
    machine: Simulated,
    result?: 'done' | 'failed',
    more = {},
  ): Promise<void> => {
    const { id, deployed, begun } = machine;
    const decided = begun === undefined ? {} : { decision: 'upgrade', target: begun };
    const group = groups.get(id);
    const modules = { ...reportedState(++state, { deployed, ...decided }), group };
    const empty = machineReport([], { state: modules, after: machine.number, to: machine.number });
    const [outcome] = machineReport([machine.number + 1]).outcomes;
    const reason = result === 'failed' ? 'motor stalled' : null;
    const outcomes = result ? [{ ...outcome, to: begun ?? deployed, result, reason, ...more }] : [];
    if (result) machine.number++;
    const body = { ...empty, to: machine.number, outcomes };
    expect((await ask(`/v1/machines/${id}/reports`, reporting, body))[0]).toBe(200);
  };
  const finishOne = async (machine: Simulated): Promise<void> => {
    machine.deployed = machine.begun ?? machine.deployed;
    await report(machine, 'done');
    machine.begun = undefined;
  };
  const act = async (machine: Simulated, version: string, what: Behaviour): Promise<void> => {
    machine.begun = version;
    await report(machine);
    if (what === 'slow') return;
    if (what === 'silent') {
      machine.isSilent = true;
      machine.deployed = version;
      return;
    }
    if (what === 'healthy') return await finishOne(machine);
    await report(machine, 'failed', what === 'is undecided' ? { undecided: true } : {});
    machine.begun = undefined;
    // Its world may be mended by the next turn.
    if (what === 'is undecided') return;
    failed.add(`${machine.id} ${version}`);
  };
  const failed = new Set<string>();
  await ask(`${LIDAR}/releases`, token, { version: '1.2.9' });
  if (first === 'reported') await Promise.all(machines.map(async (one) => await report(one)));
  return {
    catalogue,
    events,
    counted: async () => (await running.numbers()).rollouts,
    address: () => running.address,
    get deployed() {
      return new Map(machines.map(({ id, deployed }) => [id, deployed]));
    },
    async turn(behaviour = () => 'healthy') {
      const index = await indexAt(running.address);
      const turnOf = async (machine: Simulated): Promise<void> => {
        if (machine.isSilent || machine.begun !== undefined) return;
        const selected = selectedBy(machine, groups.get(machine.id), index, time.now);
        const isKnown = failed.has(`${machine.id} ${selected}`) || selected === machine.deployed;
        if (isKnown) await report(machine);
        else await act(machine, selected, behaviour(machine.id));
      };
      await Promise.all(machines.map(turnOf));
    },
    async finish() {
      const busy = machines.filter(({ begun }) => begun !== undefined);
      await Promise.all(busy.map(finishOne));
    },
    async pass(ms) {
      for (let left = ms; left > 0; left -= MINUTE) {
        const part = Math.min(left, MINUTE);
        time.now += part;
        time.elapsed += part;
        await running.stepRollouts();
      }
    },
    async jump(ms) {
      time.now += ms;
      await running.stepRollouts();
    },
    async restart(pauseMs) {
      await running.close();
      time.now += pauseMs;
      time.elapsed = 0;
      running = await serve();
    },
    publish: async (body) => summary(await ask(`${LIDAR}/releases`, token, body)),
    change: async (body) => summary(await ask(ROLLOUT, token, body)),
    state: async () => (await ask(ROLLOUT, token))[1],
    rollouts: async () => (await ask('/v1/fleet/rollouts', token))[1]['rollouts'],
    async listed() {
      const [, list] = await ask(LIDAR, token);
      const releases = list['releases'] as Record<string, unknown>[];
      return releases.find(({ version }) => version === '1.3.0') ?? {};
    },
    having: (version) =>
      machines.filter(({ deployed }) => deployed === version).map(({ id }) => id),
  };
}

async function indexAt(address: string): Promise<ReleaseIndex> {
  const registry = openRegistries().open({ registry: address });
  const lidar = parseModuleId('acme:lidar');
  if (!registry.ok || !lidar.ok) throw new Error('the registry cannot be opened');
  return indexReleases((await registry.value.read(lidar.value)).records);
}

/** The version that a machine decides for; the deployed one if it has to wait. */
function selectedBy(
  { id, deployed }: Simulated,
  group: string | undefined,
  index: ReleaseIndex,
  now: number,
): string {
  const constraint = parseConstraint('1.*');
  if (!constraint.ok) throw new Error(constraint.error.message);
  const eligibility = { now, rollouts: { machineId: id, group, deployed } };
  const resolution = resolve(constraint.value, index, eligibility);
  return resolution.kind === 'resolved' ? resolution.release.version.text : deployed;
}
