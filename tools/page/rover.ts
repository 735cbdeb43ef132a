import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { openLog } from '../../src/logs/log-file.ts';
import type { LogRecord } from '../../src/logs/log-record.ts';

const MODREG = join(import.meta.dirname, '../../bin/modreg');
const DAY = 86_400_000;

/** A folder with a rover, and the processes that were started on it. */
export interface Rover {
  readonly folder: string;
  /** Starts `modreg` and resolves with its first line that matches. */
  start(pattern: RegExp, ...args: readonly string[]): Promise<Started>;
  write(name: string, content: string | object): void;
  /** Publishes further releases of a module, by their age in days, and withdraws those of the call before. */
  release(id: string, versions: Readonly<Record<string, number>>): void;
  /** Changes the constraint of a module entry. */
  constrain(name: string, version: string): void;
  end(): Promise<void>;
}

export interface Started {
  readonly process: ChildProcess;
  readonly line: string;
  readonly end: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Releases by module: the version and its age in days. */
const RELEASES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'acme:lidar': { '1.1.0': 200, '1.2.3': 61, '1.2.8': 20, '1.2.9': 9, '1.3.0': 6, '2.0.1': 4 },
  'acme:arm': { '2.4.0': 55, '2.5.0': 8 },
  'acme:camera': { '1.0.3': 120, '1.0.4': 90, '1.3.0': 12 },
  'acme:slam': { '4.0.2': 140, '4.1.7': 33, '4.2.0': 5 },
  'acme:gripper': { '2.9.0': 160, '3.0.1': 80, '3.2.0': 10 },
  'nimbus:gps': { '0.9.1': 210, '1.0.0': 30 },
  'nimbus:imu': { '2.2.0': 70, '2.2.1': 1 },
};

const component = (name: string, model: string, ...depends_on: readonly string[]): object => {
  return { name, model, type: 'sensor', namespace: 'rdk', depends_on };
};

const entry = (module_id: string, version: string): Entry => {
  return { type: 'registry', name: module_id.replace(':', '_'), module_id, version };
};

interface Entry {
  readonly type: string;
  readonly name: string;
  readonly module_id: string;
  readonly version: string;
}

/** Its slam release does not work, and its arm takes long. */
const MACHINE = {
  components: [
    component('front-lidar', 'acme:lidar:vlp16'),
    component('base', 'wheeled', 'front-lidar'),
    component('arm0', 'acme:arm:six'),
    component('mapper', 'acme:slam:graph', 'front-lidar'),
    component('gps0', 'nimbus:gps:nmea'),
  ],
  modules: [
    entry('acme:slam', '4.*'),
    entry('acme:lidar', '1.2.*'),
    entry('acme:arm', '2.*'),
    entry('acme:camera', '1.0.4'),
    entry('acme:gripper', '3.1.*'),
    entry('nimbus:gps', 'latest'),
    entry('nimbus:imu', '2.2.*'),
  ],
};

const DEPLOYED = {
  acme_slam: '4.1.7',
  acme_lidar: '1.2.3',
  acme_arm: '2.4.0',
  acme_camera: '1.0.4',
  acme_gripper: '3.0.1',
  nimbus_gps: '0.9.1',
  nimbus_imu: '2.2.0',
};

const HOOK = `#!/bin/sh
read -r action
case $action in
  *acme_slam*4.2.0*) echo 'the self-test failed: loop closure diverged after 40 s' >&2; exit 1 ;;
  *acme_arm*) while [ -e "$PLATFORM_HOME/hold" ]; do sleep 0.2; done ;;
esac
`;

/** A window that is closed now, on any day that the tests run. */
function policyAt(now: number): object {
  const hour = (new Date(now).getUTCHours() + 9) % 24;
  const window = { start: `0 ${hour} * * *`, duration: '2h', time_zone: 'Europe/Berlin' };
  return {
    registry: './registry',
    minimum_release_age: '3d',
    modules: { acme_lidar: { maintenance: [window] } },
  };
}

function rover(): Rover {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-page-'));
  const write: Rover['write'] = (name, content) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
    writeFileSync(path, text, { mode: 0o755 });
  };
  const now = Date.now();
  const release: Rover['release'] = (id, versions) => {
    const releases = Object.entries({ ...RELEASES[id], ...versions }).map(([version, days]) => {
      return { version, published_at: new Date(now - days * DAY).toISOString() };
    });
    write(`registry/${id.replace(':', '/')}.json`, { module_id: id, releases });
  };
  write('machine.json', MACHINE);
  write('policy.json', policyAt(now));
  write('deployed.json', DEPLOYED);
  write('hook', HOOK);
  write('home/hold', '');
  for (const id of Object.keys(RELEASES)) release(id, {});
  const constrain: Rover['constrain'] = (name, version) => {
    const modules = MACHINE.modules.map((one) => (one.name === name ? { ...one, version } : one));
    write('machine.json', { ...MACHINE, modules });
  };
  return { folder, write, release, constrain, ...processesIn(folder) };
}

/** Starts `modreg` in a folder, with further variables, and ends what was started. */
export function processesIn(
  folder: string,
  added: Readonly<Record<string, string>> = {},
): Pick<Rover, 'start' | 'end'> {
  const started: ChildProcess[] = [];
  return {
    async start(pattern, ...args) {
      const own = { PATH: process.env['PATH'], PLATFORM_HOME: join(folder, 'home'), NO_COLOR: '1' };
      const env = { ...own, ...added };
      const stdio = ['ignore', 'pipe', 'inherit'] as const;
      const child = spawn(MODREG, args, { cwd: folder, env, stdio: [...stdio] });
      started.push(child);
      const line = await firstLine(child, pattern);
      return { process: child, line, end: async (signal) => await ended(child, signal) };
    },
    async end() {
      for (const child of started) await ended(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function firstLine({ stdout }: ChildProcess, pattern: RegExp): Promise<string> {
  if (!stdout) throw new Error('the process has no stdout');
  const lines = createInterface(stdout);
  for await (const line of lines) {
    if (!pattern.test(line)) continue;
    // What follows is read, so that the process does not wait for a reader.
    stdout.resume();
    return line;
  }
  throw new Error(`the process ended before it printed a line like ${pattern}`);
}

async function ended(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}

/** Calls `work` with a rover, and removes it and ends its processes afterwards. */
export async function withRover(work: (one: Rover) => Promise<void>): Promise<void> {
  const one = rover();
  try {
    await work(one);
  } finally {
    await one.end();
  }
}

/** Starts a poller, and resolves when it upgrades the arm, which takes until `home/hold` is removed. */
export async function pollOf(one: Rover): Promise<Started> {
  const options = ['--deployed', 'deployed.json', '--exec', './hook', '--interval', '5s'];
  return await one.start(/acme_arm: upgrade/, 'poll', 'machine.json', ...options);
}

/** The page of a rover. */
export interface PageServer extends Started {
  readonly url: string;
  /** The address with a code, which can be used once. */
  readonly withCode: string;
}

/** Starts the page of a rover. */
export async function pageOf(one: Rover, port = '0'): Promise<PageServer> {
  const started = await one.start(/signing in/, 'page', 'machine.json', '--port', port);
  const withCode = readFileSync(join(one.folder, 'home/page-address'), 'utf8').trim();
  return { ...started, withCode, url: new URL('/', withCode).href };
}

/** A rover with many modules, all of which a poller has seen. */
export function writeModules(one: Rover, count: number): void {
  const ids = Array.from({ length: count }, (_, place) => `acme:sensor-${place}`);
  const deployed = ids.map((id, place) => [id.replace(':', '_'), `1.${place % 9}.${place % 30}`]);
  one.write('machine.json', {
    modules: ids.map((id, place) =>
      entry(id, ['1.*', 'latest', `1.${place % 9}.*`][place % 3] ?? ''),
    ),
  });
  one.write('deployed.json', Object.fromEntries(deployed) as object);
  one.write('home/hold', '');
  for (const [place, id] of ids.entries()) {
    one.release(id, {
      [`1.${place % 9}.${place % 30}`]: 30,
      [`1.${place % 9}.${(place % 30) + 1}`]: 3,
    });
  }
  one.write('policy.json', { registry: './registry' });
}

/** Changes the constraint of each of these modules. */
export function constrainModules(one: Rover, count: number, version: string): void {
  const ids = Array.from({ length: count }, (_, place) => `acme:sensor-${place}`);
  one.write('machine.json', { modules: ids.map((id) => entry(id, version)) });
}

/** Appends to the log of the agent. */
export function writeLog(one: Rover, ...records: readonly LogRecord[]): void {
  const log = openLog(join(one.folder, 'home/logs.db'), 'create');
  log.append(records);
  log.close();
}
