/* nginx with the configuration of examples/nginx, in front of fronts on loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../../support/modreg.ts';
import { freePorts } from './nodes.ts';
import { programs } from './programs.ts';

const STARTED_MS = 10_000;

/** The example with these fronts; without TLS, and with its files in `folder`. */
function configuration(fronts: readonly string[], port: number, folder: string): string {
  const example = readFileSync(`${ROOT}examples/nginx/fleet.conf`, 'utf8');
  const upstreams = fronts.map((address) => address.replace('http://', ''));
  let place = 0;
  return example
    .replaceAll(/10\.0\.0\.\d+:4870/g, () => upstreams[place++] ?? '127.0.0.1:1')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ +ssl_.*\n/gm, '')
    .replace('/var/cache/nginx/modreg', join(folder, 'cache'));
}

/** Starts nginx in front of three fronts. */
export async function startNginx(
  fronts: readonly string[],
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const found = programs();
  if (typeof found === 'string') throw new Error(found);
  const folder = mkdtempSync(join(tmpdir(), 'modreg-nginx-'));
  const [port = 0] = await freePorts(1);
  const own = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    mkdirSync(join(folder, name));
    const directive = name === 'body' ? 'client_body' : name;
    return `${directive}_temp_path ${join(folder, name)};`;
  });
  const lines = [
    // Started by root, it would be another user, who may not open the folder.
    process.getuid?.() === 0 ? 'user root;' : '',
    'daemon off; pid nginx.pid; error_log stderr crit; events { worker_connections 8192; }',
    `http { access_log off; ${own.join(' ')}`,
    `${configuration(fronts, port, folder)} }`,
  ];
  writeFileSync(join(folder, 'nginx.conf'), lines.join('\n'));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const child = spawn(found.nginx, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const address = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + STARTED_MS;
  while (!(await answers(address))) {
    if (performance.now() > deadline || child.exitCode !== null) {
      await close();
      throw new Error('nginx does not answer');
    }
    await setTimeout(50);
  }
  return { address, close };
}

async function answers(address: string): Promise<boolean> {
  const response = await fetch(address).catch(() => undefined);
  await response?.text();
  return response !== undefined;
}
