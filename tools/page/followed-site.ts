import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { machineDetail } from '../../src/server/fleet/machine-detail.ts';
import { Catalogue } from '../../src/server/index.ts';
import { DatabaseError } from '../../src/sqlite/database-error.ts';
import { packageOf } from '../../test/faults/upgrade-releases.ts';
import { APPROVER, AUTHOR, role, trustOf, type TestKey } from '../../test/support/signed.ts';
import { processesIn, type PageServer } from './rover.ts';
import { pageOfSite } from './site.ts';

/** A registry, its page, and a machine with an agent that follows it. */
export interface FollowedSite {
  readonly page: PageServer;
  readonly path: string;
  /** Of the registry. */
  readonly address: string;
  readonly catalogue: Catalogue;
  /** What the machine said last of the documents of its site. */
  readonly applied: () => number | undefined;
  /** Publishes a version of the lidar, which works. */
  readonly publish: (version: string) => Promise<void>;
  /** Runs `modreg fleet` as a person with the key of an operator, until it prints a line that matches. */
  readonly fleet: (pattern: RegExp, ...args: readonly string[]) => Promise<string>;
}

export const MACHINE = 'rover-7';
const CONFIG = `{
  // the rover in the hall
  "modules": [
    { "type": "registry", "name": "acme_lidar", "module_id": "acme:lidar", "version": "1.2.*" }
  ]
}
`;

/** Quick, so that an upgrade takes a second. */
const TERMS = {
  run_as: process.getuid?.() === 0 ? 'root' : undefined,
  ready_timeout: '1s',
  probation: '0s',
  restart_cooldown: '0s',
};

/** Names an author and an operator. */
const TRUST = trustOf([role('namespace acme', 1, AUTHOR), role('operator', 1, APPROVER)]);

/** Calls `work` with a site that one machine follows, which runs 1.2.9 while 1.3.0 is published. With a pin, its policy names a trust document. */
export async function withFollowedSite(
  pin: 'with a pin' | 'without a pin',
  work: (site: FollowedSite) => Promise<void>,
): Promise<void> {
  const isPinned = pin === 'with a pin';
  const folder = mkdtempSync(join(tmpdir(), 'modreg-followed-'));
  const path = join(folder, 'registry.db');
  const server = processesIn(folder);
  const catalogue = new Catalogue(path, { mode: 'create' });
  const ends = [server.end];
  try {
    const token = tokenIn(catalogue, MACHINE, `machine:${MACHINE}`);
    save(catalogue);
    if (isPinned) catalogue.trust.store(TRUST.text);
    const signing = isPinned ? ['--key', keyFile(folder, AUTHOR)] : [];
    const publish = publishingIn({ folder, path, server, signing });
    for (const version of ['1.2.8', '1.2.9', '1.3.0', '2.0.0']) await publish(version);
    const address = await served(path, server);
    const own = join(folder, 'machine');
    mkdirSync(join(own, 'home'), { recursive: true });
    const environment = {
      MODREG_REGISTRY: address,
      PLATFORM_PART_ID: MACHINE,
      PLATFORM_API_KEY: token,
      PLATFORM_API_KEY_ID: 't1',
    };
    const machine = processesIn(own, environment);
    ends.unshift(machine.end);
    await runAgent(own, address, isPinned ? TRUST.pin : 'unsigned', machine);
    const page = await pageOfSite({ folder, path, start: server.start });
    const applied = (): number | undefined => catalogue.configs.answer(MACHINE)?.applied;
    await untilReported(fleetPath(path));
    const fleet = fleetOf(folder, address, catalogue);
    await work({ page, path, address, catalogue, applied, publish, fleet });
  } finally {
    for (const end of ends) await end();
    catalogue.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs `modreg fleet` with a token of a person, and the key of the operator. */
function fleetOf(folder: string, address: string, catalogue: Catalogue): FollowedSite['fleet'] {
  const token = tokenIn(catalogue, 'ops', 'commands');
  const { start } = processesIn(folder, { MODREG_REGISTRY: address, MODREG_TOKEN: token });
  return async (pattern, ...args) => {
    const key = keyFile(folder, APPROVER);
    return (await start(pattern, 'fleet', ...args, '--key', key)).line;
  };
}

/** Serves the registry, and returns its address. */
async function served(path: string, { start }: Starting): Promise<string> {
  const options = ['--db', path, '--port', '0'];
  const { line } = await start(/https?:/, 'registry', 'serve', ...options);
  const [address = ''] = /http:\/\/[\w.:]+/.exec(line) ?? [];
  return address;
}

/** The path of a file with a private key. */
function keyFile(folder: string, { id, privateKey }: TestKey): string {
  const path = join(folder, `${id}.key`);
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** A new token. */
export function tokenIn(catalogue: Catalogue, name: string, scope: string): string {
  const made = catalogue.createToken({ name, scopes: [scope] }, Date.now());
  if (!made.ok) throw new Error(made.error);
  return made.value.token;
}

function save({ configs }: Catalogue): void {
  const about = { machine: MACHINE, author: 'token t2 (ops)', reason: 'first', at: Date.now() };
  configs.save({ ...about, config: CONFIG, policy: undefined, basedOn: 0 });
}

/** Waits for the first report of the machine. */
async function untilReported(path: string): Promise<void> {
  while (!hasReported(path)) await new Promise((resolve) => setTimeout(resolve, 100));
}

function hasReported(path: string): boolean {
  const fleet = new FleetFile(path, () => Date.now(), { mode: 'read' });
  try {
    const machine = fleet.read((sql) => machineDetail(sql, MACHINE, Date.now()));
    return machine !== undefined && machine.modules.length > 0;
  } catch (error) {
    // The server makes the file for the first report.
    if (error instanceof DatabaseError && error.kind === 'missing') return false;
    throw error;
  } finally {
    fleet.close();
  }
}

type Starting = ReturnType<typeof processesIn>;

interface Publishing {
  readonly folder: string;
  readonly path: string;
  readonly server: Starting;
  readonly signing: readonly string[];
}

function publishingIn({ folder, path, server, signing }: Publishing): FollowedSite['publish'] {
  return async (version) => {
    const file = join(folder, `lidar-${version}.tar.gz`);
    writeFileSync(file, packageOf(version, 'works'));
    const options = ['--db', path, '--upload', file, ...signing];
    await server.start(/published/, 'registry', 'publish', 'acme:lidar', version, ...options);
  };
}

/** Starts the agent, and waits until the module runs. */
async function runAgent(
  folder: string,
  address: string,
  trust: string,
  { start }: Starting,
): Promise<void> {
  writeFileSync(join(folder, 'machine.json'), '{}');
  const logs = { endpoint: `${address}/v1/logs` };
  const terms = { ...TERMS, trust, registry: address, logs };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(terms));
  const options = ['--config-from', address, '--reports', address, '--interval', '5s'];
  await start(/1\.2\.9 is started/, 'agent', 'run', 'machine.json', ...options);
}
