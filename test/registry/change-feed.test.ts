import { expect, it } from 'vitest';
import type { ModuleId } from '../../src/core/index.ts';
import { type Catalogue, readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { loopbackRegistry, requestsMade } from '../support/loopback.ts';
import { remembered, told } from './support/remembered.ts';

const MODULES = Array.from({ length: 1000 }, (_, index) => moduleId(`acme:m${index}`));

function publish(catalogue: Catalogue, module: ModuleId, version: string): void {
  const release = readRelease({ version });
  if (!release.ok) throw new Error(release.error.join());
  catalogue.publish(module, release.value, 0);
}

it('polls 1,000 unchanged modules with one request, and one changed module with a second', async () => {
  // On a real socket: 1,000 requests take msw longer.
  const { address, catalogue } = await loopbackRegistry();
  for (const id of MODULES) publish(catalogue, id, '1.0.0');
  const machine = remembered(address);
  const requests = requestsMade();
  const poll = async (): Promise<string[]> => {
    requests.length = 0;
    return told(await machine.restarted().readAll(MODULES)).toSorted();
  };
  const first = await poll();
  expect([first.length, requests.length]).toEqual([1000, 1001]);
  expect([await poll(), requests]).toEqual([first, ['/v1/changes?after=1000']]);

  publish(catalogue, moduleId('acme:m7'), '1.0.1');
  const seen = first.map((line) => (line === 'acme:m7 1.0.0' ? 'acme:m7 1.0.1' : line));
  expect([await poll(), requests]).toEqual([
    seen,
    ['/v1/changes?after=1000', '/v1/modules/acme/m7'],
  ]);
  expect([await poll(), requests]).toEqual([seen, ['/v1/changes?after=1001']]);
});
