import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { addressIn, askPage, cookieFor, PAGE } from './support/page-process.ts';

interface Starter {
  readonly port: number;
  readonly start: () => void;
  /** The next line of its output. */
  readonly next: () => Promise<string>;
  readonly complaints: Readable;
}

describe('a page that systemd starts with a connection', () => {
  /** Keeps the socket, and starts the page for each line that it reads, as systemd does for a connection. */
  const STARTER = `while read -r _; do
    sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' page "$@" </dev/null; echo "exit $?"
  done`;

  async function starter(home: string, listenAt: string): Promise<Starter> {
    const server = createServer();
    server.listen(0, listenAt);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    // Node has no documented name for the descriptor of a server.
    const { fd } = Reflect.get(server, '_handle') as { readonly fd: number };
    const environment = { PATH: process.env['PATH'], PLATFORM_HOME: home };
    const child = spawn('sh', ['-c', STARTER, 'sh', `${ROOT}bin/modreg`, ...PAGE, '--idle', '1s'], {
      stdio: ['pipe', 'pipe', 'pipe', fd],
      env: environment,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [input, output, complaints] = child.stdio;
    if (!(input && output && complaints)) throw new Error('all three are pipes');
    // The shell has its own descriptor of the socket.
    server.close();
    const lines: string[] = [];
    const next = async (): Promise<string> => {
      while (lines.length === 0) {
        const [chunk] = (await once(output, 'data')) as [Buffer];
        lines.push(...String(chunk).trimEnd().split('\n'));
      }
      return lines.shift() ?? '';
    };
    return { port, start: () => void input.write('\n'), next, complaints };
  }

  it('ends when it is idle, and the session outlives that', async () => {
    const home = temporaryFolder();
    const { port, start, next } = await starter(home, '127.0.0.1');
    // Before the first start, sign-in knows the label only.
    await inProcess(['page', 'sign-in'], { PLATFORM_HOME: home });
    const known = addressIn(home);
    const address = { ...known, port, host: known.host.replace('4890', `${port}`) };
    const signedIn = cookieFor(address);
    start();
    const headers = await signedIn;
    expect(await next()).toBe('exit 0');
    const again = askPage(address, ['GET', '/'], { headers });
    start();
    expect((await again).status).toBe(200);
    expect(await next()).toBe('exit 0');
    await inProcess(['page', 'sign-in'], { PLATFORM_HOME: home });
    expect(addressIn(home).host).toBe(address.host);
  });

  it('does not start on a socket that others on the network can reach', async () => {
    const { start, next, complaints } = await starter(temporaryFolder(), '0.0.0.0');
    const complaint = once(complaints, 'data');
    start();
    expect(await next()).toBe('exit 2');
    expect(String((await complaint)[0])).toMatch(
      /^error\[USAGE\]: the passed socket is 0\.0\.0\.0, which is not a loopback address/,
    );
  });
});
