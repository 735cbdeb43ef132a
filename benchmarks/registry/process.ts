import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { get, type Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { readRelease, type PublishedRelease } from 'modreg/server';

/** A process of server.ts. */
export interface Running {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly address: string;
  readonly lines: Interface;
}

/** Releases with one artifact each. */
export function releases(count: number): PublishedRelease[] {
  return Array.from({ length: count }, (_, at) => {
    const artifacts = [
      {
        platform: 'linux/arm64',
        url: `https://modules.example/${at}.tar.gz`,
        digest: `sha256:${at.toString(16).padStart(64, '0')}`,
        size: at,
      },
    ];
    const read = readRelease({ version: `1.${Math.trunc(at / 100)}.${at % 100}`, artifacts });
    if (!read.ok) throw new Error(read.error.join());
    return read.value;
  });
}

/** Starts server.ts. */
export async function start(kind: string, path: string): Promise<Running> {
  const script = join(import.meta.dirname, 'server.ts');
  const child = spawn(process.execPath, ['--expose-gc', script, kind, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const [address] = (await once(lines, 'line')) as [string];
  return { child, address, lines };
}

/** The status of the response to a GET, whose body is read. */
export async function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(url, { headers, agent }, (response) => {
    response
      .on('end', () => resolve(response.statusCode ?? 0))
      .on('error', reject)
      .resume();
  }).on('error', reject);
  return await promise;
}
