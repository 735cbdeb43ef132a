import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { inProcess } from '../../support/in-process.ts';
import type { Ended } from '../../support/modreg.ts';
import { plainServer, type PlainServer } from '../../../mocks/plain-server.ts';

/** A token that must not be printed. */
export const CANARY = 'modreg_canary-7c0ffee';

/** A command for `remote`. */
export const PUBLISH: readonly string[] = ['publish', 'acme:lidar', '1.2.9'];

/** Runs `modreg registry` on the registry at `address`, with a token unless it is empty. The address is masked in its output. */
export async function remote(
  address: string,
  args: readonly string[],
  token: string = CANARY,
): Promise<Ended> {
  const environment = token === '' ? {} : { MODREG_TOKEN: token };
  const ended = await inProcess(['registry', ...args, '--registry', address], environment);
  const masked = (output: string): string => output.replaceAll(address, 'ADDRESS');
  return { ...ended, stdout: masked(ended.stdout), stderr: masked(ended.stderr) };
}

/** A server that answers each request with the next of `answers`, and the bodies of the requests. */
export async function answering(
  ...answers: readonly ((response: ServerResponse) => void)[]
): Promise<PlainServer & { readonly bodies: string[] }> {
  const bodies: string[] = [];
  const answer = async (response: ServerResponse, body: Promise<string>): Promise<void> => {
    bodies.push(await body);
    answers[Math.min(bodies.length, answers.length) - 1]?.(response);
  };
  const server = await plainServer((response, request) => void answer(response, text(request)));
  return { ...server, bodies };
}
