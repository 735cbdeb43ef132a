import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { startedInProcess } from '../../support/in-process.ts';
import { ROOT } from '../../support/modreg.ts';

const ROVER = `${ROOT}examples/rover`;
/** The arguments of a page of the example machine. */
export const PAGE: readonly string[] = [
  'page',
  `${ROVER}/machine.json`,
  '--registry',
  `${ROVER}/registry`,
];

/** An address with a code, as `page-address` has it. */
export interface SignInAddress {
  readonly host: string;
  readonly port: number;
  readonly code: string;
}

/** What the file `page-address` in the home of a page says. */
export function addressIn(home: string): SignInAddress {
  return parsedAddress(readFileSync(`${home}/page-address`, 'utf8'));
}

export function parsedAddress(line: string): SignInAddress {
  const { host, port, hash } = new URL(line);
  return { host, port: Number(port), code: hash.replace('#code=', '') };
}

/** A page of the example machine in a separate process, until the end of the test. */
export async function pageProcess(
  home: string,
  ...options: readonly string[]
): Promise<{ readonly child: ChildProcess; readonly output: () => string }> {
  const child = spawn(`${ROOT}bin/modreg`, [...PAGE, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], PLATFORM_HOME: home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  await Promise.race([once(child.stdout, 'data'), once(child, 'close')]);
  return { child, output: () => output };
}

/** Serves the page of the example machine in this process, until the end of the test. */
export async function pageHere(home: string, ...options: readonly string[]): Promise<void> {
  const stdout = new PassThrough();
  const env = { PATH: process.env['PATH'], PLATFORM_HOME: home };
  const { kill, ended } = startedInProcess([...PAGE, ...options], { stdout, env });
  onTestFinished(async () => {
    kill('SIGTERM');
    await ended;
  });
  await Promise.race([once(stdout, 'data'), ended]);
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends a request to the page as a browser that is on the page does. */
export async function askPage(
  { host, port }: SignInAddress,
  [method, path]: readonly [method: string, path: string],
  { headers = {}, body = '' }: { readonly headers?: object; readonly body?: string } = {},
): Promise<Answer> {
  const own = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  const sent = request({ port, path, method, agent: false, headers: { ...own, ...headers } });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, text: await text(response) };
}

/** The header with which a browser is signed in after it has posted a code. */
export async function cookieFor(address: SignInAddress): Promise<{ readonly cookie: string }> {
  const answer = await askPage(address, ['POST', '/sign-in'], { body: `code=${address.code}` });
  return { cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? `none: ${answer.text}` };
}
