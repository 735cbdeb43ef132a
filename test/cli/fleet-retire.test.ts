import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/registry/clock.ts';
import { FleetFile, fleetPath } from '../../src/server/fleet/fleet-file.ts';
import { Catalogue, serveRegistry } from '../../src/server/index.ts';
import type { RegistryEvent } from '../../src/server/registry-options.ts';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { plainServer, send } from '../../mocks/plain-server.ts';
import { machineReport, reportedState } from '../support/machine-report.ts';
import { tokenFor } from '../support/token.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const STILL =
  'note: a rollout whose release may have reached it before it was last heard counts it still';

interface Retiring {
  readonly path: string;
  readonly address: string;
  readonly catalogue: Catalogue;
  readonly fleet: FleetFile;
  readonly events: RegistryEvent[];
  /** Runs a command of `modreg fleet` with the token. */
  readonly run: (...args: readonly string[]) => Promise<Printed>;
}

const OPERATOR = ['rollout', 'fleet:read'];

/** A served registry to which rover-1 and rover-2 have reported, and an operator with a token. */
async function twoMachines(scopes: readonly string[] = OPERATOR): Promise<Retiring> {
  const path = join(temporaryFolder(), 'registry.db');
  const catalogue = new Catalogue(path, { mode: 'create' });
  const fleet = new FleetFile(fleetPath(path), () => NOW);
  const state = { ...reportedState(1, {}), at: '2026-11-21T12:00:00Z' };
  for (const machine of ['rover-1', 'rover-2']) {
    await fleet.report(machine, machineReport([1], { state }));
  }
  const events: RegistryEvent[] = [];
  const clock = { ...systemClock, now: () => NOW };
  const running = await serveRegistry(
    catalogue,
    { host: '127.0.0.1', port: 0 },
    { spreadMs: 0, clock, log: (event) => void events.push(event) },
  );
  onTestFinished(async () => {
    await running.close();
    fleet.close();
    catalogue.close();
  });
  const { address } = running;
  const environment = { MODREG_TOKEN: tokenFor(catalogue, scopes, 'op'), USER: 'alice' };
  return {
    path,
    address,
    catalogue,
    fleet,
    events,
    async run(...args) {
      return await printed(['fleet', ...args], { environment, clock: () => NOW });
    },
  };
}

it('[D83] retire over HTTP takes a machine out of counts and lists, and is logged with the token', async () => {
  const { address, events, run } = await twoMachines();
  const at = ['--registry', address];
  expect(await run('retire', 'rover-2', ...at)).toEqual({
    stdout: [
      'rover-2 is retired since 2026-11-21T12:00:00Z, by token t1 (op): no count has it until it reports again, and no rollout step that begins when it is silent',
    ],
    stderr: [STILL],
    exit: 0,
  });
  expect(events).toMatchObject([
    { kind: 'machine-retired', machine: 'rover-2', tokenId: 't1', peer: '127.0.0.1' },
  ]);
  expect((await run('status', ...at)).stdout[0]).toBe('1 machine, 1 seen in 24 h; 1 retired');
  const listed = await run('machines', ...at, '--json');
  expect(JSON.parse(listed.stdout[0] ?? '').machines).toMatchObject([
    { id: 'rover-1', retired: null },
  ]);
  expect((await run('machines', '--retired', ...at)).stdout.slice(1)).toEqual([
    '  rover-2   2026-11-21T12:00:00Z   retired                       retired 2026-11-21T12:00:00Z by token t1 (op)',
  ]);
});

it('[D83] [D443] retire in a file names the user, and says the same a second time', async () => {
  const { path, run } = await twoMachines();
  const first = await run('retire', 'rover-2', '--db', path, '--json');
  expect(first).toEqual({
    stdout: [
      '{"schema":"modreg/fleet-retire@1","id":"rover-2","retired":{"at":"2026-11-21T12:00:00Z","by":"alice"}}',
    ],
    stderr: [],
    exit: 0,
  });
  const catalogue = new Catalogue(path, { mode: 'read' });
  const changes = catalogue.configs.changed({ machine: 'rover-2', before: {}, limit: 9 });
  catalogue.close();
  const thing = { kind: 'others', what: 'machine-retired', machine: 'rover-2' };
  expect(changes).toMatchObject([{ author: 'alice', thing }]);
  expect(await run('retire', 'rover-2', '--db', path, '--json')).toEqual(first);
});

it.each<[string, readonly string[], readonly string[], Pick<Printed, 'stderr' | 'exit'>]>([
  [
    'without the scope for all namespaces',
    ['rollout:acme', 'fleet:read'],
    ['rover-2', '--registry', 'ADDRESS'],
    {
      stderr: [
        'error[REGISTRY_REFUSED]: the registry ADDRESS denies access with the token that was sent (403): the token t1 (op) does not have the scope rollout',
        'hint: its operator creates a token with it: modreg registry token create --name <name> --scope rollout',
      ],
      exit: 4,
    },
  ],
  [
    'that never reported, over HTTP',
    OPERATOR,
    ['rover-9', '--registry', 'ADDRESS'],
    {
      stderr: [
        'error[UNKNOWN_REFERENCE]: no machine has reported as "rover-9", so none was retired',
        'hint: modreg fleet machines --registry ADDRESS lists the machines',
      ],
      exit: 1,
    },
  ],
  [
    'that never reported, in a file',
    OPERATOR,
    ['rover-9', '--db', 'FILE'],
    {
      stderr: [
        'error[UNKNOWN_REFERENCE]: no machine has reported as "rover-9", so none was retired',
        'hint: modreg fleet machines lists the machines',
      ],
      exit: 1,
    },
  ],
  [
    'in two registries',
    OPERATOR,
    ['rover-2', '--db', 'FILE', '--registry', 'ADDRESS'],
    { stderr: ['error[USAGE]: --db and --registry name two registries, expected one'], exit: 2 },
  ],
  [
    'in no registry',
    OPERATOR,
    ['rover-2'],
    {
      stderr: [
        'error[NO_REGISTRY]: no registry is named that machines report to',
        'hint: name it with --registry, or MODREG_REGISTRY',
      ],
      exit: 2,
    },
  ],
])('[D83] no machine is retired %s', async (_title, scopes, args, expected) => {
  const { path, address, fleet, run } = await twoMachines(scopes);
  const named = args.map((arg) => arg.replace('ADDRESS', address).replace('FILE', path));
  const ended = await run('retire', ...named);
  const masked = ended.stderr.map((line) => line.replaceAll(address, 'ADDRESS'));
  expect({ ...ended, stderr: masked }).toEqual({ stdout: [], ...expected });
  expect(fleet.read((sql) => sql.all('SELECT retired_at FROM machines'))).toEqual([
    { retired_at: null },
    { retired_at: null },
  ]);
});

it('[D83] the file of a front is not changed, because other fronts would not know', async () => {
  const { path, fleet, run } = await twoMachines();
  fleet.takeShared({ stream: 'of-a-cluster', sequence: 7, at: NOW, reports: [] });
  expect(await run('retire', 'rover-2', '--db', path)).toEqual({
    stdout: [],
    stderr: [
      'error[USAGE]: --db is the file of a front of a cluster, and the other fronts would not know of the change',
      'hint: pass --registry with the address of the cluster; nothing was changed',
    ],
    exit: 2,
  });
});

it('[T361] an earlier registry retires no machine, and lists none as retired', async () => {
  const all = { machines: [{ id: 'rover-1', seen_at: '2026-11-21T12:00:00Z', modules: [] }] };
  const { address } = await plainServer((response, request) => {
    if (request.method === 'GET') return send(response, { ...all, next: null });
    response.statusCode = 404;
    send(response, { type: 'urn:modreg:unknown-address', detail: 'nothing is there' });
  });
  const environment = { MODREG_TOKEN: 'secret' };
  const retired = await printed(['fleet', 'retire', 'rover-1', '--registry', address], {
    environment,
  });
  expect([retired.exit, retired.stderr[0]?.replaceAll(address, 'ADDRESS')]).toEqual([
    4,
    'error[NOT_A_REGISTRY]: the registry ADDRESS does not respond like a registry: it retires no machines: its modreg is an earlier one',
  ]);
  const listed = await printed(['fleet', 'machines', '--retired', '--registry', address], {
    environment,
  });
  expect(listed.stdout).toEqual(['no machine matches']);
});
