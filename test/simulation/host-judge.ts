import { runsServer } from './desired.ts';
import type { ModuleProcess } from './host.ts';
import { keyOf, SERVER, type Target } from './ledger.ts';
import type { Violation } from './judge-context.ts';
import type { World } from './world.ts';

/*
 * Which versions run on a machine with modreg's own agent, and why. Rows of machine.db are read as JSON.
 */

interface Version {
  readonly version: string;
  readonly root: string;
  readonly isUndecided?: boolean | undefined;
}

/** What machine.db has about a module entry. */
interface Row {
  readonly moduleId: string;
  readonly phase: 'stable' | 'trying' | 'rolling-back';
  readonly action?: string;
  readonly current?: Version;
  readonly candidate?: Version;
  readonly previous?: Version;
}

const LOCAL = 'local';

export function provenKey(name: string, root: string): string {
  return `${name} ${root}`;
}

/** A version starts alone, from its package, and because machine.db says so. (A2, A5) */
export function judgeStart(world: World, name: string, { version, root }: Version): void {
  const { ledger, complain } = world;
  const beside = processesOf(world, name).map((one) => one.version);
  if (beside.length > 0)
    complain('A2', `module ${name}: ${version} starts beside ${beside.join()}`);
  judgeRenamed(world, name);
  if (version === LOCAL) return;
  const row = rowsIn(world).get(name);
  const expected =
    row?.phase === 'trying' ? row.candidate : row?.phase === 'stable' ? row.current : row?.previous;
  if (expected?.root !== root) {
    complain('A2', `module ${name}: ${version} starts, and machine.db says ${expected?.version}`);
  }
  const isProven = hasWorked(world, name, root);
  if (row?.phase !== 'trying') {
    if (!isProven) complain('A2', `module ${name}: ${version} starts for good, and never worked`);
    return;
  }
  const action = ledger.committed.get(row.action ?? '');
  if (action?.to !== version || action.target.name !== name) {
    complain(
      'A2',
      `module ${name}: ${version} is tried for ${row.action}, which is to ${action?.to}`,
    );
  }
}

/**
 * Whether a version worked in an entry; or in one that the config no longer has, if it was started for ever there, or is so here: then
 * the other version of this entry failed as well. (D80, D105)
 */
function hasWorked(world: World, name: string, root: string): boolean {
  const { host, ledger } = world;
  if (!host) return false;
  if (host.proven.has(provenKey(name, root))) return true;
  const { modules } = ledger.desired ?? { modules: [] };
  const moduleId = modules.find((one) => one.name === name)?.moduleId;
  const rows = rowsIn(world);
  const isUndecided = (current: Version | undefined): boolean =>
    current?.root === root && current.isUndecided === true;
  const isInherited = [...rows].some(
    ([gone, row]) =>
      row.moduleId === moduleId &&
      !modules.some((one) => one.name === gone) &&
      row.current?.root === root &&
      (isUndecided(row.current) || isUndecided(rows.get(name)?.current)) &&
      host.proven.has(provenKey(gone, root)),
  );
  if (isInherited) host.proven.add(provenKey(name, root));
  return isInherited;
}

/** What takes the place of an entry of the same module starts after it has ended. (D84) */
function judgeRenamed({ host, ledger, line, complain }: World, name: string): void {
  const { desired, desiredSince, started } = ledger;
  const moduleId = desired?.modules.find((one) => one.name === name)?.moduleId;
  if (!desired || moduleId === undefined || started.has(name) || desiredSince === line.elapsed())
    return;
  for (const other of host?.processes ?? []) {
    const isSame = other.entry?.split(',')[0] === moduleId && other.name !== name;
    if (!isSame || !other.life.isAlive || desired.modules.some((one) => one.name === other.name))
      continue;
    complain('D84', `module ${name} starts while ${other.name}, an entry of ${moduleId}, ends`);
  }
}

/**
 * The agent says what machine.db has about this module or the server, if its package exists. It does not know itself, nor a
 * server that is disabled. (A5, A16)
 */
export function judgeTold(world: World, target: Target, told: unknown): void {
  const { host, ledger, complain } = world;
  const row = rowsIn(world).get(target.name);
  const own = row?.moduleId === target.moduleId ? row : undefined;
  const stated = own?.phase === 'stable' ? own.current : own?.previous;
  const version = stated && host?.packages.has(stated.root) === true ? stated.version : null;
  const isRun =
    target.kind === 'module' ||
    (target.name === SERVER.name && ledger.desired !== undefined && runsServer(ledger.desired));
  const expected = isRun ? version : undefined;
  ledger.told.set(keyOf(target), expected);
  if (told === expected) return;
  complain('A5', `${keyOf(target)}: the agent says ${String(told)}, where ${expected} is expected`);
}

/** No package is removed that machine.db names. (A5) */
export function judgeKept(world: World, kept: ReadonlySet<string>): void {
  for (const [name, { current, candidate, previous }] of rowsIn(world)) {
    for (const version of [current, candidate, previous]) {
      if (version === undefined || kept.has(version.root)) continue;
      world.complain('A5', `module ${name}: the package of ${version.version} is removed`);
    }
  }
}

/** The outcome of an action agrees with what runs. (A3) */
export function judgeOutcome(
  world: World,
  { name, direction }: { readonly name: string; readonly direction: string },
  running: string | null | undefined,
): void {
  const { host, complain } = world;
  if (!host || running === null || running === undefined) return;
  // A restart of a local module changes nothing that machine.db says. (D344)
  if (running === LOCAL && isLocalName(world, name)) return;
  const row = rowsIn(world).get(name);
  const stated = row?.phase === 'stable' ? row.current : row?.previous;
  if (stated?.version !== running) {
    complain(
      'A3',
      `module ${name}: ${running} is reported, and machine.db says ${stated?.version}`,
    );
  } else if (!hasWorked(world, name, stated.root)) {
    complain('A3', `module ${name}: ${running} is reported after a ${direction}, and never worked`);
  }
}

/** Whether the entry of this name is that of a local module. */
function isLocalName({ conditions }: World, named: string): boolean {
  return conditions.desired.modules.some(({ name, isLocal }) => isLocal && name === named);
}

/** At the end, what machine.db names is up, and nothing else. (A2, A16) */
export function unsettledProcesses(world: World): Violation[] {
  const { host, conditions, ledger } = world;
  if (!host) return [];
  const { modules, needs, server } = conditions.desired;
  const rows = rowsIn(world);
  const wanted = new Map<string, string>();
  const entries = runsServer(conditions.desired)
    ? [...modules, { ...SERVER, isLocal: false }]
    : modules;
  for (const { name, moduleId, isLocal } of server.isDisabled ? [] : entries) {
    const row = rows.get(name);
    const own = row?.moduleId === moduleId ? row.current?.version : undefined;
    const version = isLocal ? LOCAL : own;
    if (version !== undefined) wanted.set(name, version);
  }
  /** Each entry of a module may provide its components. */
  const lacks = (on: string): boolean => {
    const moduleId = modules.find(({ name }) => name === on)?.moduleId;
    return modules.some((one) => one.moduleId === moduleId && !isUp(world, one.name));
  };
  const names = new Set([...wanted.keys(), ...Array.from(host.processes, ({ name }) => name)]);
  return [...names].flatMap((name): Violation[] => {
    const expected = wanted.get(name);
    const up = processesOf(world, name).map(
      ({ version, readyAt }) => `${version}${readyAt === undefined ? ' (not ready)' : ''}`,
    );
    // A module does not start before those that it depends on.
    const isWithoutServer = name !== SERVER.name && lacksServer(world);
    const mayWait =
      up.length === 0 && (isWithoutServer || needs.some(([who, on]) => who === name && lacks(on)));
    if (up.join() !== (expected ?? '') && !mayWait) {
      const found = `module ${name}: "${up.join()}" runs, and machine.db says ${expected}`;
      return [{ invariant: 'A2', found }];
    }
    const kind = name === SERVER.name ? SERVER.kind : 'module';
    const known = ledger.known.get(keyOf({ kind, name }))?.running;
    if (expected === undefined || expected === LOCAL || typeof known !== 'string') return [];
    // The outcome of an open action is not acknowledged yet.
    const isOpen = [...ledger.open.values()].some(({ target }) => target.name === name);
    if (known === expected || isOpen) return [];
    const found = `module ${name}: ${known} is recorded, and ${expected} runs`;
    return [{ invariant: 'I11', found }];
  });
}

/** Whether modules wait for the server, which does not work. (A17) */
export function lacksServer(world: World): boolean {
  const { host, conditions } = world;
  return host !== undefined && runsServer(conditions.desired) && !isUp(world, SERVER.name);
}

/** An address that does not work stays due, and is not tried again. (D27) */
export function mayKeepFailing({ host, conditions }: World): boolean {
  return host !== undefined && conditions.desired.server.pinUrl !== undefined;
}

function isUp(world: World, name: string): boolean {
  return processesOf(world, name).some(({ readyAt }) => readyAt !== undefined);
}

function processesOf({ host }: World, name: string): ModuleProcess[] {
  return [...(host?.processes ?? [])].filter((one) => one.name === name);
}

/** The rows about module entries, by name. */
export function rowsIn({ disk }: World): Map<string, Row> {
  const rows = disk.rows('SELECT name, module_id, content FROM activations');
  return new Map(
    rows.map(({ name, module_id: moduleId, content }) => {
      const row: unknown = JSON.parse(String(content));
      // A cast: what the row lacks is undefined, and breaks an invariant.
      return [String(name), { ...(row as Omit<Row, 'moduleId'>), moduleId: String(moduleId) }];
    }),
  );
}
