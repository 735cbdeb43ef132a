import { expect, it } from 'vitest';
import { DEFAULT_TERMS } from '../../src/core/machine/update-policy.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { answers, document, HOST, json } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';

const asked = answers();
const LIDAR = moduleId('acme:lidar');

/** The headers with which a list is requested from a registry whose feed answers `position`. */
async function headersOfList(position: object): Promise<(string | null)[]> {
  let found: (string | null)[] = [];
  asked.next(json({ ...position, modules: [LIDAR], spread_ms: 0 }), async (request) => {
    const { headers } = request;
    found = [headers.get('modreg-at-least'), headers.get('modreg-history')];
    return await document([])(request);
  });
  const opened = openRegistries().open({ ...DEFAULT_TERMS, registry: HOST });
  if (!opened.ok) throw new Error('there is no registry');
  await opened.value.readAll([LIDAR]);
  return found;
}

it('a list is requested with the position of the feed that named it (T159)', async () => {
  expect(await headersOfList({ sequence: 7, history: 'a1' })).toEqual(['7', 'a1']);
});

it('without a history, positions of two servers cannot be compared, so none is sent', async () => {
  expect(await headersOfList({ sequence: 7 })).toEqual([null, null]);
});
