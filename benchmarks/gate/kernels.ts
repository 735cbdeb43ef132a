import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  explain,
  indexReleases,
  planMachine,
  readDeployed,
  resolve,
  type ModuleState,
  type PlanInput,
} from 'modreg';
import { checkDocument, readMachine, readUpdatePolicy } from 'modreg/config';
import { openRegistries, systemClock } from 'modreg/registry';
import { Catalogue, readRelease, serveRegistry } from 'modreg/server';
import { adversarialLists, realPackument, seededList } from '../resolving/lists.ts';
import { constraint, moduleId } from '../parsed.ts';

/** Something users wait for, small enough to count its instructions. */
export interface Kernel {
  readonly name: string;
  /** Runs in a slice: enough for tens of millions of instructions. */
  readonly runs: number;
  /** Everything that is not counted. Returns one run. */
  prepare(): Promise<() => unknown>;
}

const NOW = Date.parse('2026-11-22T12:00:00Z');

export const KERNELS: readonly Kernel[] = [
  { name: 'first-answer-real', runs: 5, prepare: async () => firstAnswers(realLists()) },
  { name: 'first-answer-large', runs: 1, prepare: async () => firstAnswers([largeList()]) },
  { name: 'first-answer-hostile', runs: 2, prepare: async () => firstAnswers(hostileLists()) },
  { name: 'used-index', runs: 2000, prepare: async () => usedIndex() },
  { name: 'explanation', runs: 4, prepare: async () => explanation() },
  { name: 'bytes-to-answer', runs: 2, prepare: async () => bytesToAnswer() },
  { name: 'plan', runs: 4, prepare: async () => plan('{}') },
  {
    name: 'next-change',
    runs: 4,
    prepare: async () =>
      plan(
        '{"minimum_release_age": "7d", "maintenance": [{"start": "0 2 * * *", "duration": "2h", "time_zone": "Europe/Berlin"}]}',
      ),
  },
  { name: 'check', runs: 2, prepare: async () => check() },
  { name: 'served-list', runs: 60, prepare: async () => await served('/v1/modules/bench/m0') },
  { name: 'served-feed', runs: 60, prepare: async () => await served('/v1/changes?after=199') },
];

export const CONSTRAINTS: readonly string[] = [
  '5.4.*',
  '15.*',
  'latest',
  'latest-with-prerelease',
  '99.*',
];

/** The versions of three real packages, each as a list of strings. */
export function realLists(): string[][] {
  return ['typescript', 'next', 'types-node'].map((name) =>
    Object.keys(realPackument(name).versions),
  );
}

export function largeList(): string[] {
  return seededList(100_000).map(({ version }) => version);
}

function hostileLists(): string[][] {
  return Object.values(adversarialLists(2000));
}

function firstAnswers(lists: readonly (readonly string[])[]): () => unknown {
  const constraints = CONSTRAINTS.map(constraint);
  return () =>
    lists.map((list) => constraints.map((one) => resolve(one, indexReleases(list)).kind));
}

function usedIndex(): () => unknown {
  const index = indexReleases(seededList(100_000));
  // From the second query on, the index is sorted.
  for (const one of CONSTRAINTS) resolve(constraint(one), index);
  return () => CONSTRAINTS.map((one) => resolve(constraint(one), index).kind);
}

/** The explanation of each of the newest 500 entries of a real list. */
function explanation(): () => unknown {
  const [typescript = []] = realLists();
  const newest = typescript.slice(-500);
  return () => explain(resolve(constraint('5.4.*'), indexReleases(newest)), { all: true });
}

/** From the bytes of a document of 1,000 releases with two artifacts each to an answer. */
function bytesToAnswer(): () => unknown {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-gate-'));
  mkdirSync(join(folder, 'bench'));
  const releases = seededList(1000).map(({ version }, at) => {
    const published_at = new Date(NOW - at * 60_000).toISOString();
    return { version, published_at, artifacts: artifacts(at) };
  });
  writeFileSync(join(folder, 'bench', 'list.json'), JSON.stringify({ releases }));
  const registry = openRegistries().open({ registry: folder });
  if (!registry.ok) throw registry.error;
  const latest = constraint('latest');
  return async () => {
    const { records } = await registry.value.read(moduleId('bench:list'));
    return resolve(latest, indexReleases(records)).kind;
  };
}

function artifacts(at: number): object[] {
  return ['amd64', 'arm64'].map((cpu) => ({
    platform: `linux/${cpu}`,
    url: `https://modules.example/bench/${at}/${cpu}.tar.gz`,
    digest: `sha256:${(at + 1).toString(16).padStart(64, cpu === 'amd64' ? 'a' : 'b')}`,
    size: 1_000_000 + at,
  }));
}

/** A plan of 200 modules with 50 releases each, in chains of three, and when each decision changes next. */
function plan(policy: string): () => unknown {
  const numbers = Array.from({ length: 200 }, (_, at) => at);
  const modules = numbers.map((at) => ({
    type: 'registry',
    name: `acme_m${at}`,
    module_id: `acme:m${at}`,
    version: ['1.*', '1.2.*', 'latest'][at % 3],
  }));
  const components = numbers.map((at) => ({
    name: `c${at}`,
    model: `acme:m${at}:x`,
    type: 'sensor',
    namespace: 'rdk',
    depends_on: at % 3 === 0 ? [] : [`c${at - 1}`],
  }));
  const machine = readMachine(JSON.stringify({ modules, components }));
  const terms = readUpdatePolicy(policy);
  if (!machine.ok || !terms.ok) throw new Error('a document has errors');
  const deployed = readDeployed('0.0.1');
  const states = modules.map(({ name }, at): [string, ModuleState] => {
    return [name, { list: { index: indexReleases(seededList(50, at + 1)) }, deployed }];
  });
  const input: PlanInput = {
    machine: machine.value,
    policy: terms.value,
    platform: 'linux/arm64',
    now: NOW,
    modules: new Map(states),
    subsystems: new Map(),
    isServerBusy: false,
  };
  return () => planMachine(input).modules.map(({ nextChange }) => nextChange?.at);
}

/** A machine config of 100 modules and as many components. */
function check(): () => unknown {
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  const modules = numbers.map((at) => ({
    type: 'registry',
    name: `acme_m${at}`,
    module_id: `acme:m${at}`,
    version: '1.2.*',
    env: { NOTE: 'n'.repeat(200) },
  }));
  const components = numbers.map((at) => ({
    name: `c${at}`,
    model: `acme:m${at}:x`,
    type: 'sensor',
    namespace: 'rdk',
    attributes: { rate_hz: 10, pins: [1, 2, 3] },
    depends_on: at === 0 ? [] : [`c${at - 1}`],
  }));
  const document = JSON.stringify({ modules, components }, undefined, 2);
  return () => checkDocument(document, 'machine').errors;
}

/** One request over loopback to a registry of 200 modules in this process. The last 20 have a sequence over 199. */
async function served(path: string): Promise<() => unknown> {
  const file = join(mkdtempSync(join(tmpdir(), 'modreg-gate-')), 'registry.db');
  const catalogue = new Catalogue(file, { mode: 'create' });
  const releases = Array.from({ length: 20 }, (_, at) => {
    const release = readRelease({ version: `1.${at}.0`, artifacts: artifacts(at) });
    if (!release.ok) throw new Error(release.error.join());
    return release.value;
  });
  for (let at = 0; at < 200; at++) {
    catalogue.publishAll(moduleId(`bench:m${at}`), at === 0 ? releases : releases.slice(-1), NOW);
  }
  const place = { host: '127.0.0.1', port: 0 };
  const { address } = await serveRegistry(catalogue, place, {
    clock: { ...systemClock, now: () => NOW },
    spreadMs: 0,
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return async () => {
    const { promise, resolve: received, reject } = Promise.withResolvers<IncomingMessage>();
    get(`${address}${path}`, { agent }, received).on('error', reject);
    return await text(await promise);
  };
}
