import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { addressIn, askPage, cookieFor } from './support/page-process.ts';
import { agentRunning } from '../support/polling.ts';

function machineFolder(): string {
  const policy = process.getuid?.() === 0 ? { run_as: 'root' } : {};
  return temporaryFolder({
    'machine.json': JSON.stringify({ modules: [] }),
    'policy.json': JSON.stringify({ registry: 'http://127.0.0.1:1', ...policy }),
    'home/.keep': '',
  });
}

/** What a client of the port gets. */
async function refused(port: number): Promise<string> {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    return 'answered';
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } };
    return cause?.code ?? 'unknown';
  }
}

/** The environment of the process that serves the page of `machine`. */
function environmentOfPage(machine: string): string {
  const found = globSync('/proc/[0-9]*').filter((process) =>
    commandLine(process).includes(`\0page\0${machine}\0`),
  );
  expect(found).toHaveLength(1);
  return readFileSync(`${found[0]}/environ`, 'utf8');
}

/** Empty for a process that has ended meanwhile. */
function commandLine(process: string): string {
  try {
    return readFileSync(`${process}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

it.each([['SIGTERM'], ['SIGKILL']] as const)(
  'the page of an agent ends with it, by %s',
  async (signal) => {
    const folder = machineFolder();
    const agent = agentRunning(folder, ['--page', '--page-port', '0']);
    await agent.until('page: the address for signing in is in');
    const address = addressIn(`${folder}/home`);
    const headers = await cookieFor(address);
    expect((await askPage(address, ['GET', '/'], { headers })).status).toBe(200);
    await agent.end(signal);
    await expect.poll(async () => await refused(address.port)).toBe('ECONNREFUSED');
  },
);

it('the page of an agent is started again, and gets no secret of its environment', async () => {
  const folder = machineFolder();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const options = ['--page', '--page-port', `${port}`];
  const agent = agentRunning(folder, options, { MODREG_TOKEN: 'modreg_canary' });
  await agent.until('the page does not run: it ended with exit code 2');
  await agent.until(`page: error[USAGE]: cannot listen on 127.0.0.1, port ${port} (EADDRINUSE)`);
  await agent.until('page: hint: --page-port <port> chooses another port');
  server.close();
  await agent.until('page: the address for signing in is in');
  const address = addressIn(`${folder}/home`);
  expect(address.port).toBe(port);
  expect(environmentOfPage(`${folder}/machine.json`)).not.toContain('canary');
  await agent.end('SIGTERM');
});
