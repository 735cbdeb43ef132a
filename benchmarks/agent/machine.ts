import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { serveReleases } from '../../mocks/release-registry.ts';
import { tarOf } from '../../test/support/tar-file.ts';
import { PROGRAM, PROGRAMS, recordsIn, type Supervisor } from './supervisor.ts';

export const AGENT: string = fileURLToPath(new URL('../../bin/modreg', import.meta.url));
const PLATFORM = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';

/** The server, and its program. */
export const SERVER = 'platform-server';

/** A machine whose agent runs ten modules of a registry that this process serves. */
export interface AgentMachine extends Supervisor {
  /** Publishes the next release of a module, a package of so many bytes. */
  readonly publish: (program: string, bytes: number) => void;
  /** Ends the agent alone. */
  readonly end: () => Promise<void>;
}

interface Besides {
  readonly withServer?: boolean;
  /** Of rounds: that of the agent by default. */
  readonly interval?: string;
  /** The address of a collector, which gets the log. */
  readonly collector?: string;
}

/** Starts `modreg agent run` with ten modules, and with platform-server and a collector on request. */
export async function startAgent(
  folder: string,
  { withServer = false, interval, collector }: Besides = {},
): Promise<AgentMachine> {
  const records = recordsIn(folder);
  const releases = await serveReleases(folder, {});
  const published = new Map<string, number>();
  const publish = (program: string, bytes: number): void => {
    const patch = published.get(program) ?? 0;
    published.set(program, patch + 1);
    const release = { version: `1.0.${patch}`, platform: PLATFORM, file: packageOf(bytes) };
    const module = program === SERVER ? 'platform:server' : `bench:${program}`;
    releases.publish({ module, ...release });
  };
  const smallest = 1000;
  for (const one of withServer ? [SERVER, ...PROGRAMS] : PROGRAMS) publish(one, smallest);
  writeMachine(folder, records, {
    registry: releases.address,
    withServer,
    ...(collector !== undefined && { logs: { endpoint: collector } }),
  });
  const log = openSync(`${folder}/log`, 'w');
  const often = interval === undefined ? [] : ['--interval', interval];
  const child = spawn(AGENT, ['agent', 'run', `${folder}/machine.json`, ...often], {
    env: { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` },
    stdio: ['ignore', log, log],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  const end = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return {
    name: 'modreg agent',
    pid: child.pid ?? 0,
    records,
    publish,
    replace: async (one) => {
      publish(one, smallest);
      await Promise.resolve();
    },
    end,
    stop: async () => {
      await end();
      await releases.close();
    },
  };
}

function writeMachine(
  folder: string,
  records: string,
  { withServer, ...terms }: { readonly registry: string; readonly withServer: boolean },
): void {
  mkdirSync(`${folder}/home`);
  const modules = PROGRAMS.map((name) => {
    return { type: 'registry', name, module_id: `bench:${name}`, version: '1.*' };
  });
  const agent = withServer ? { [SERVER]: { attributes: { fast_start: true } } } : {};
  writeFileSync(`${folder}/machine.json`, JSON.stringify({ modules, agent }));
  const commands = [SERVER, ...PROGRAMS].map(
    (one) => [one, { command: ['run', `${records}/${one}`] }] as const,
  );
  const policy = {
    ...terms,
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
