import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import type { ModuleId } from '../../src/core/index.ts';
import type { LoggedDecision } from '../../src/core/plan/logged-decisions.ts';
import { openForPoller, openMachineFile } from '../../src/store/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { Catalogue } from '../../src/server/index.ts';
import { modreg, ROOT } from '../support/modreg.ts';
import { publish } from '../support/backups.ts';
import { targetOf } from './agent-task.ts';
import type { Ended } from './run-traced.ts';
import type { Scene } from './scene.ts';

/** A command of `modreg`, and what it changes. */
interface CommandScene {
  readonly name: string;
  readonly prepare: (folder: string) => void;
  readonly args: (folder: string) => readonly string[];
  readonly files: (folder: string) => readonly string[];
  /** What the files contain: `before` or `after` the command. Any other text is a finding. */
  readonly state: (folder: string) => string;
  /** The command that is run again after a failure; the same by default. Undefined if it changes nothing. */
  readonly again?: (folder: string) => readonly string[];
}

const SUFFIXES = ['', '-wal', '-shm', '-journal'];

function databaseFiles(path: string): string[] {
  return SUFFIXES.map((suffix) => `${path}${suffix}`);
}

/** The scene of a command that exits with 0 once its change is made, and otherwise says what failed. */
function sceneOf({ name, prepare, args, files, state, again = args }: CommandScene): Scene {
  return {
    name,
    prepare: (folder) => {
      mkdirSync(`${folder}/home`);
      prepare(folder);
    },
    command: (folder) => [
      'env',
      `PLATFORM_HOME=${folder}/home`,
      `${ROOT}bin/modreg`,
      ...args(folder),
    ],
    files: (folder) => [`${folder}/home`, ...files(folder)],
    judge: (folder, ended) => {
      const findings = endFindings(folder, ended);
      const found = state(folder);
      const expected = ended.exit === 0 ? ['after'] : ['before', 'after'];
      if (!expected.includes(found)) {
        findings.push(`exit ${ended.exit ?? ended.signal}, and the files have ${found}`);
      }
      const next = modreg(again(folder), { PLATFORM_HOME: `${folder}/home` });
      const isRepeated = next.exit === 0 || (found === 'after' && next.exit !== 70);
      if (!isRepeated) findings.push(`the next command exits with ${next.exit}: ${next.stderr}`);
      if (state(folder) !== 'after') findings.push(`after the next command: ${state(folder)}`);
      return findings;
    },
  };
}

/** A command that fails says so with a code, and names what it used; it never has an internal error. */
function endFindings(folder: string, { exit, signal, stderr }: Ended): string[] {
  if (signal === 'SIGKILL' || exit === 0) return [];
  if (signal !== null) return [`the command was ended by ${signal}`];
  const [first = ''] = stderr.split('\n');
  const isNamed = /^error\[(?!INTERNAL)[A-Z_]+\]: /.test(first) && first.includes(folder);
  return isNamed ? [] : [`the command exits with ${exit} and says: ${stderr}`];
}

/** The versions and the generation of the only module: `1.0.0 1.1.0, generation 2`. */
function releasesIn(path: string): string {
  if (!existsSync(path)) return 'nothing';
  const catalogue = new Catalogue(path, { mode: 'read' });
  try {
    const [id] = catalogue.modules();
    if (id === undefined) return 'nothing';
    const document = JSON.parse(Buffer.from(catalogue.document(id)?.bytes ?? []).toString()) as {
      readonly generation: number;
      readonly releases: readonly { readonly version: string }[];
    };
    const versions = document.releases.map(({ version }) => version).toSorted();
    return `${versions.join(' ')}, generation ${document.generation}`;
  } finally {
    catalogue.close();
  }
}

const registryOf = (folder: string): string => `${folder}/home/registry.db`;
const machineOf = (folder: string): string => `${folder}/home/machine.db`;
const LIDAR = 'acme:lidar' as ModuleId;

function named(found: string, before: string, after: string): string {
  if (found === before) return 'before';
  return found === after ? 'after' : found;
}

const PUBLISH: CommandScene = {
  name: 'publish',
  prepare: (folder) => publish(registryOf(folder), LIDAR, '1.0.0'),
  args: (folder) => ['registry', 'publish', LIDAR, '1.1.0', '--db', registryOf(folder)],
  files: (folder) => databaseFiles(registryOf(folder)),
  state: (folder) =>
    named(releasesIn(registryOf(folder)), '1.0.0, generation 1', '1.0.0 1.1.0, generation 2'),
};

const CREATE: CommandScene = {
  ...PUBLISH,
  name: 'create',
  prepare: () => undefined,
  args: (folder) => [...PUBLISH.args(folder), '--create'],
  state: (folder) => {
    try {
      return named(releasesIn(registryOf(folder)), 'nothing', '1.1.0, generation 1');
    } catch (error) {
      return String(error).endsWith('it is empty') ? 'before' : String(error);
    }
  },
};

function listed(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => `${folder}/${name}`) : [];
}

const BACKUP: CommandScene = {
  name: 'backup',
  prepare: (folder) => {
    publish(registryOf(folder), LIDAR, '1.0.0', 'a file');
    publish(registryOf(folder), LIDAR, '1.1.0');
    mkdirSync(`${folder}/backup`);
  },
  args: (folder) => ['registry', 'backup', `${folder}/backup`, '--db', registryOf(folder)],
  files: (folder) => [
    ...databaseFiles(registryOf(folder)),
    `${folder}/backup`,
    `${folder}/backup/manifest.json`,
    `${folder}/backup/manifest.json.part`,
  ],
  state: (folder) => {
    if (!existsSync(`${folder}/backup/manifest.json`)) return 'before';
    const { exit, stderr } = modreg(['registry', 'verify', `${folder}/backup`]);
    return exit === 0 ? 'after' : stderr;
  },
};

const RESTORE: CommandScene = {
  name: 'restore',
  prepare: (folder) => {
    BACKUP.prepare(folder);
    const { exit, stderr } = modreg(BACKUP.args(folder));
    if (exit !== 0) throw new Error(stderr);
    publish(registryOf(folder), LIDAR, '1.2.0');
  },
  args: (folder) => [
    'registry',
    'restore',
    `${folder}/backup`,
    '--replace',
    '--db',
    registryOf(folder),
  ],
  files: (folder) => [
    ...databaseFiles(registryOf(folder)),
    ...listed(`${folder}/backup`),
    `${registryOf(folder)}.part`,
    `${registryOf(folder)}-files`,
  ],
  state: (folder) => {
    const found = releasesIn(registryOf(folder)).replace(/, .*/, '');
    return named(found, '1.0.0 1.1.0 1.2.0', '1.0.0 1.1.0');
  },
};

const DECIDED: LoggedDecision = {
  kind: 'module',
  name: 'lidar',
  moduleId: LIDAR,
  constraint: '1.*',
  target: '1.1.0',
  latest: '1.1.0',
  decision: 'up-to-date',
  reason: 'already the newest release of 1',
  until: undefined,
};

/** A machine with 1.1.0 deployed after 1.0.0, and what its poller decided. */
function machineIn(folder: string): void {
  const file = openForPoller(machineOf(folder));
  const { state } = file;
  for (const version of ['1.0.0', '1.1.0']) state.report(targetOf('lidar'), version, 1);
  state.log([DECIDED], { at: Date.now(), trouble: undefined });
  file.close();
}

function quarantineIn(folder: string): string {
  const file = openMachineFile(machineOf(folder), { mode: 'read' });
  try {
    const { quarantine } = machineStateIn(file).memory();
    const versions = quarantine.map(({ version, rolledBack }) =>
      rolledBack ? `${version} rolled back` : version,
    );
    return versions.join(', ') || 'none';
  } finally {
    file.close();
  }
}

const QUARANTINE: CommandScene = {
  name: 'quarantine',
  prepare: machineIn,
  args: () => ['quarantine', 'add', 'lidar', '1.2.0', '--reason', 'it is loud'],
  files: (folder) => databaseFiles(machineOf(folder)),
  state: (folder) => named(quarantineIn(folder), 'none', '1.2.0'),
};

const ROLLBACK: CommandScene = {
  ...QUARANTINE,
  name: 'rollback',
  args: () => ['rollback', 'lidar'],
  state: (folder) => named(quarantineIn(folder), 'none', '1.1.0 rolled back'),
};

const STATUS: CommandScene = {
  ...QUARANTINE,
  name: 'status',
  args: () => ['status'],
  state: (folder) => (quarantineIn(folder) === 'none' ? 'after' : 'changed'),
};

export const COMMAND_SCENES: readonly Scene[] = [
  PUBLISH,
  CREATE,
  BACKUP,
  RESTORE,
  QUARANTINE,
  ROLLBACK,
  STATUS,
].map(sceneOf);
