import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parseModuleId } from 'modreg';
import { Catalogue, readRelease, serveRegistry } from 'modreg/server';
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
  const releases = await serveReleases(folder);
  const smallest = 1000;
  for (const one of PROGRAMS) releases.publish(one, smallest);
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
    publish: releases.publish,
    replace: async (one) => {
      releases.publish(one, smallest);
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

interface Releases {
  readonly address: string;
  readonly publish: (program: string, bytes: number) => void;
  readonly close: () => Promise<void>;
}

async function serveReleases(folder: string): Promise<Releases> {
  const files = new Map<string, Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(url);
    response.writeHead(file ? 200 : 404, { 'content-length': file?.length ?? 0 }).end(file);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const catalogue = new Catalogue(`${folder}/registry.db`, { mode: 'create' });
  const registry = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 }, {});
  const published = new Map<string, number>();
  return {
    address: registry.address,
    publish: (program, bytes) => {
      const patch = published.get(program) ?? 0;
      published.set(program, patch + 1);
      const file = packageOf(bytes);
      const path = `/${program}/${patch}`;
      files.set(path, file);
      const digest = `sha256:${createHash('sha256').update(file).digest('hex')}`;
      const url = `http://127.0.0.1:${port}${path}`;
      const artifacts = [{ platform: PLATFORM, url, digest, size: file.length }];
      const release = readRelease({ version: `1.0.${patch}`, artifacts });
      const moduleId = parseModuleId(`bench:${program}`);
      if (!release.ok || !moduleId.ok) throw new Error(`${program} cannot be published`);
      catalogue.publish(moduleId.value, release.value, Date.now());
    },
    close: async () => {
      await registry.close();
      server.close();
      server.closeAllConnections();
      catalogue.close();
    },
  };
}

/** A package whose content cannot be compressed. */
function packageOf(bytes: number): Buffer {
  const manifest = { name: 'meta.json', content: '{"entrypoint":"run"}' };
  const program = { name: 'run', mode: 0o755, content: readFileSync(PROGRAM) };
  const content = { name: 'content', content: randomBytes(bytes) };
  return gzipSync(tarOf(manifest, program, content), { level: 1 });
}
