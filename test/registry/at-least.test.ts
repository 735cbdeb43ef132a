import { expect, it } from 'vitest';
import { DEFAULT_TERMS } from '../../src/core/machine/update-policy.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { moduleId } from '../support/ask.ts';

const LIDAR = moduleId('acme:lidar');

/** The headers with which a list is requested from a registry whose feed answers `position`. */
async function headersOfList(position: object): Promise<(string | null)[]> {
  let found: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.url.includes('/v1/changes')) {
      return Response.json({ ...position, modules: [LIDAR], spread_ms: 0 });
    }
    const { headers } = request;
    found = [headers.get('modreg-at-least'), headers.get('modreg-history')];
    return await Promise.resolve(
      Response.json({ module_id: LIDAR, generation: 1, count: 0, releases: [] }),
    );
  };
  const opened = openRegistries({ fetch }).open({
    ...DEFAULT_TERMS,
    registry: 'https://registry.test',
  });
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
