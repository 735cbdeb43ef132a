import { describe, expect, it } from 'vitest';
import type { Answer } from '../../mocks/network.ts';
import { ociRegistry } from '../../mocks/oci-registry.ts';
import { answers, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const WHERE = `the registry oci:${HOST}`;
const PATH = '/v2/acme/lidar/tags/list';

function page(tags: unknown, next?: string): Answer {
  return json({ name: 'acme/lidar', tags }, next === undefined ? {} : { link: next });
}

describe('[T405] finds the next page', () => {
  it.each<[string, string, string]>([
    [
      'a link without angle brackets',
      `${PATH}?n=2&last=b; rel="next"`,
      `${PATH}?n=1000&last=1.0.0`,
    ],
    [
      'a link without its port',
      '<https://registry.example:8443/v2/acme/lidar/tags/list?last=b>; rel="next"',
      `${PATH}?last=b`,
    ],
    [
      'a link of another scheme',
      `<http://registry.example${PATH}?last=b>; rel="next"`,
      `${PATH}?last=b`,
    ],
    [
      'a link without the path of the address',
      '</v2/lidar/tags/list?last=b>; rel="next"',
      `${PATH}?last=b`,
    ],
    ['a link to another path', '</v2/_next/7>; rel="next"', '/v2/_next/7'],
  ])('%s', async (_, link, next) => {
    const { registry } = remembered(`oci:${HOST}`);
    asked.next(page(['1.0.0'], link), page(['1.1.0']));
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0 1.1.0');
    expect(asked.requests).toEqual([`${PATH}?n=1000`, next]);
  });

  it.each<[string, string, string]>([
    ['cannot be read and nothing says where it leads', 'x', 'is x'],
    ['has user info', `<https://bob:secret@registry.example${PATH}>; rel="next"`, 'has user info'],
    ['is no address', '<https://>; rel="next"', 'is https://'],
    [
      'has another scheme than the web',
      '<file:///etc/passwd>; rel="next"',
      'leads to file:, which is another host',
    ],
  ])('unless the link %s', async (_, link, what) => {
    const { registry } = remembered(`oci:${HOST}`);
    asked.next(page([], link));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `not-a-registry: ${WHERE} does not list all tags: the link to the next page ${what}`,
    );
  });

  it('a full page without a link is not the last one', async () => {
    const tags = Array.from({ length: 1000 }, (_, place) => `1.0.${place}`);
    const { registry } = remembered(`oci:${HOST}`);
    asked.next(page(tags), page(['1.1.0']));
    expect((await registry.read(LIDAR)).records).toHaveLength(1001);
    expect(asked.requests).toEqual([`${PATH}?n=1000`, `${PATH}?n=1000&last=1.0.999`]);
  });

  it.each([
    ['50', 50, 120, 3],
    ['50, which all tags fill', 50, 100, 3],
    ['25', 25, 60, 3],
    ['64', 64, 70, 2],
  ])(
    '[T508] a registry that sends at most %s without a link has further pages',
    async (_, most, count, requests) => {
      const tags = Array.from({ length: count }, (_tag, place) => `1.0.${place + 1000}`);
      const all = ociRegistry({ 'acme/lidar': tags });
      asked.next(async (request) => {
        const url = new URL(request.url);
        url.searchParams.set('n', `${most}`);
        const sent = await all(new Request(url, request));
        return Response.json(await sent.json());
      });
      const { registry } = remembered(`oci:${HOST}`);
      expect((await registry.read(LIDAR)).records).toHaveLength(count);
      expect(asked.requests).toHaveLength(requests);
    },
  );

  it('a registry that knows no last sends the same page, which is then the last one', async () => {
    const tags = Array.from({ length: 1000 }, (_, place) => `1.0.${place}`);
    const { registry } = remembered(`oci:${HOST}`);
    asked.next(page(tags));
    expect((await registry.read(LIDAR)).records).toHaveLength(1000);
    expect(asked.requests).toHaveLength(2);
  });

  it.each([400, 413])(
    'a registry that refuses 1,000 tags (%i) is asked for fewer',
    async (code) => {
      const { registry } = remembered(`oci:${HOST}`);
      asked.next(status(code), status(code), page(['1.0.0']));
      expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
      expect(asked.requests).toEqual([`${PATH}?n=1000`, `${PATH}?n=100`, PATH]);
    },
  );
});

describe('the path of the address', () => {
  it('may be that of the API', async () => {
    const { registry } = remembered(`oci:${HOST}/api/docker`);
    asked.next(async (request) =>
      new URL(request.url).pathname.startsWith('/api/docker/v2/')
        ? await page(['1.0.0'])(request)
        : Response.json({}, { status: 404 }),
    );
    expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
    expect(asked.requests).toEqual([
      '/v2/api/docker/acme/lidar/tags/list?n=1000',
      '/api/docker/v2/acme/lidar/tags/list?n=1000',
    ]);
  });

  it.each([
    ['acme/lidar', '1.0.0'],
    ['docker-local/acme/lidar', '1.0.0'],
    [
      'lidar',
      `not-a-registry: the registry oci:${HOST}/docker-local does not respond like a registry: /name is "lidar", expected "docker-local/acme/lidar"`,
    ],
    [
      'other/acme/lidar',
      `not-a-registry: the registry oci:${HOST}/docker-local does not respond like a registry: /name is "other/acme/lidar", expected "docker-local/acme/lidar"`,
    ],
  ])('is missing in the name of a list behind a proxy: %s', async (name, outcome) => {
    const { registry } = remembered(`oci:${HOST}/docker-local`);
    asked.next(json({ name, tags: ['1.0.0'] }));
    expect(await outcomeOf(registry.read(LIDAR))).toBe(outcome);
  });
});
