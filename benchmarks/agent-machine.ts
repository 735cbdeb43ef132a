import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serveReleases } from '../test/support/release-registry.ts';
import { tarOf } from '../test/support/tar-file.ts';
import { PROGRAM, PROGRAMS, recordsIn, type Supervisor } from './supervisor.ts';

const MODREG = fileURLToPath(new URL('../bin/modreg', import.meta.url));
const PLATFORM = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';

/** A machine whose agent runs ten modules of a registry that this process serves. */
export interface AgentMachine extends Supervisor {
  /** Publishes the next release of a module, a package of so many bytes. */
  readonly publish: (program: string, bytes: number) => void;
}

/** Starts `modreg agent run` with ten modules. */
export async function startAgent(folder: string): Promise<AgentMachine> {
  const records = recordsIn(folder);
  const releases = await serveReleases(folder, {});
  const published = new Map<string, number>();
  const publish = (program: string, bytes: number): void => {
    const patch = published.get(program) ?? 0;
    published.set(program, patch + 1);
    const release = { version: `1.0.${patch}`, platform: PLATFORM, file: packageOf(bytes) };
    releases.publish({ module: `bench:${program}`, ...release });
  };
  const smallest = 1000;
  for (const one of PROGRAMS) publish(one, smallest);
  writeMachine(folder, records, releases.address);
  const log = openSync(`${folder}/log`, 'w');
  const child = spawn(MODREG, ['agent', 'run', `${folder}/machine.json`], {
    env: { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` },
    stdio: ['ignore', log, log],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  return {
    name: 'modreg agent',
    pid: child.pid ?? 0,
    records,
    publish,
    replace: async (one) => {
      publish(one, smallest);
      await Promise.resolve();
    },
    stop: async () => {
      child.kill();
      await ended;
      await releases.close();
    },
  };
}

function writeMachine(folder: string, records: string, registry: string): void {
  mkdirSync(`${folder}/home`);
  const modules = PROGRAMS.map((name) => {
    return { type: 'registry', name, module_id: `bench:${name}`, version: '1.*' };
  });
  writeFileSync(`${folder}/machine.json`, JSON.stringify({ modules }));
  const commands = PROGRAMS.map((one) => [one, { command: ['run', `${records}/${one}`] }] as const);
  const policy = {
    registry,
    ...(process.getuid?.() === 0 && { run_as: 'root' }),
    ready_timeout: '1s',
    probation: '0s',
    restart_cooldown: '0s',
    restart_ceiling: 1440,
    modules: Object.fromEntries(commands),
  };
  writeFileSync(`${folder}/policy.json`, JSON.stringify(policy));
}

/** A package whose content cannot be compressed. */
function packageOf(bytes: number): Buffer {
  const manifest = { name: 'meta.json', content: '{"entrypoint":"run"}' };
  const program = { name: 'run', mode: 0o755, content: readFileSync(PROGRAM) };
  const content = { name: 'content', content: randomBytes(bytes) };
  return gzipSync(tarOf(manifest, program, content), { level: 1 });
}
