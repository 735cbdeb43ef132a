import { describe, expect, it } from 'vitest';
import type { Answer } from '../../mocks/network.ts';
import { ociRegistry } from '../../mocks/oci-registry.ts';
import { answers, HOST, json, status } from '../../mocks/scripted-registry.ts';
import { moduleId } from '../support/ask.ts';
import { testClock } from '../support/clock.ts';
import { LIDAR, outcomeOf, remembered } from './support/remembered.ts';

const asked = answers();
const WHERE = `the registry oci:${HOST}`;
const PATH = '/v2/acme/lidar/tags/list';
const NAME = 'acme/lidar';

function page(tags: unknown, next?: string): Answer {
  return json({ name: NAME, tags }, next === undefined ? {} : { link: next });
}

/** Requests that msw need not intercept, which takes long for hundreds. */
function fetchFrom(answer: Answer): typeof globalThis.fetch {
  return async (input, init) => await answer(new Request(input, init));
}

it('reads the tags of all pages, with + in place of _', async () => {
  const { registry } = remembered(`oci:${HOST}`);
  asked.next(
    page(
      ['1.2.3', '1.2.4_build_7', '1.2.4_build.7'],
      `<${PATH}?last=1.2.4_build.7&n=1000>; rel="next"`,
    ),
    page(['latest'], `<${HOST}${PATH}?last=latest>; rel=next`),
    page([], '<?last=other>; rel=next'),
    page([]),
  );
  expect(await outcomeOf(registry.read(LIDAR))).toBe('1.2.3 1.2.4_build_7 1.2.4+build.7 latest');
  expect(asked.requests).toEqual([
    `${PATH}?n=1000`,
    `${PATH}?last=1.2.4_build.7&n=1000`,
    `${PATH}?last=latest`,
    `${PATH}?last=other`,
  ]);
});

it('reads the 1,001 tags of a repository in two pages', async () => {
  const { registry } = remembered(`oci:${HOST}`);
  const tags = Array.from({ length: 1001 }, (_, place) => `1.0.${place}`);
  asked.next(ociRegistry({ [NAME]: tags }));
  expect((await registry.read(LIDAR)).records).toHaveLength(1001);
  expect(asked.requests).toEqual([`${PATH}?n=1000`, `${PATH}?n=1000&last=1.0.998`]);
});

it('the path of the address is a prefix of the repository name', async () => {
  const { registry } = remembered(`oci:${HOST}/robots/modules`);
  asked.next(ociRegistry({ 'robots/modules/acme/lidar': ['1.0.0'] }));
  expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0');
  expect(asked.requests).toEqual(['/v2/robots/modules/acme/lidar/tags/list?n=1000']);
});

it('detects a change on a later page', async () => {
  const { registry } = remembered(`oci:${HOST}`);
  const next = `<${PATH}?last=1>; rel="next"`;
  asked.next(page(['1.0.0'], next), page(['1.1.0']));
  await registry.read(LIDAR);
  asked.next(page(['1.0.0'], next), page(['1.2.0']));
  expect(await outcomeOf(registry.read(LIDAR))).toBe('1.0.0 1.2.0');
});

it('a repository whose tags were all deleted is an empty list', async () => {
  const { registry } = remembered(`oci:${HOST}`);
  asked.next(page(null));
  expect(await outcomeOf(registry.read(LIDAR))).toBe('');
});

it('the same tags do not change the saved list', async () => {
  const machine = remembered(`oci:${HOST}`);
  asked.next(ociRegistry({ [NAME]: ['1.0.0'] }));
  await machine.registry.read(LIDAR);
  const before = machine.saved();
  expect(await outcomeOf(machine.registry.read(LIDAR))).toBe('1.0.0');
  expect(machine.saved()).toBe(before);
});

describe('refuses an incomplete tag list', () => {
  const more = `<${PATH}?last=1>; rel="next"`;
  const first = [`${PATH}?n=1000`];
  const second = [`${PATH}?last=1`];
  it.each<[string, readonly [Answer, ...Answer[]], string, readonly string[]]>([
    [
      'the second page has status 500',
      [page(['1.0.0'], more), status(500)],
      `registry-busy: ${WHERE} is busy or failing (500)`,
      [...first, ...second],
    ],
    [
      'the second page has status 404',
      [page(['1.0.0'], more), status(404)],
      `not-a-registry: ${WHERE} does not list all tags: the link to the next page leads to nothing (404): ${HOST}${PATH}`,
      [...first, ...second],
    ],
    [
      'the second page is on another origin',
      [page(['1.0.0'], '<https://evil.example/>; rel="next"')],
      `not-a-registry: ${WHERE} does not list all tags: the link to the next page leads to evil.example, which is another host`,
      first,
    ],
    [
      '[T405] a link repeats',
      [page([], more)],
      `not-a-registry: ${WHERE} does not list all tags: the link to the next page leads to a page that was read before`,
      [...first, ...second],
    ],
    [
      'the second page is of another repository',
      [page(['1.0.0'], more), json({ name: 'acme/arm', tags: [] })],
      `not-a-registry: ${WHERE} does not respond like a registry: /name is "acme/arm", expected "acme/lidar"`,
      [...first, ...second],
    ],
    [
      'a page without tags',
      [json({ name: NAME })],
      `not-a-registry: ${WHERE} does not respond like a registry: /tags is nothing, expected a list of strings`,
      first,
    ],
    [
      'a tag that is not a string',
      [page(['1.0.0', 7])],
      `not-a-registry: ${WHERE} does not respond like a registry: /tags is a list, expected a list of strings`,
      first,
    ],
    [
      '[T23] null',
      [json(null)],
      `not-a-registry: ${WHERE} does not respond like a registry: found null, expected an object`,
      first,
    ],
    [
      '[T21] 404',
      [ociRegistry({})],
      `unknown-module: ${WHERE} has no module acme:lidar (acme/lidar)`,
      first,
    ],
    [
      '[T20] 401',
      [status(401)],
      `registry-refused: ${WHERE} denies access without a token (401)`,
      first,
    ],
  ])('%s', async (_, list, outcome, requests) => {
    const { registry, saved } = remembered(`oci:${HOST}`, { limits: { retryWithinMs: 0 } });
    asked.next(...list);
    expect(await outcomeOf(registry.read(LIDAR))).toBe(outcome);
    expect([saved(), asked.requests]).toEqual(['[]', requests]);
  });

  /** Pages without end: each leads to another one. */
  function endless(): Answer {
    let pages = 0;
    return async (request) =>
      await page(['1.0.0'], `<${PATH}?last=${pages++}>; rel="next"`)(request);
  }

  it('[T405] the pages do not end', async () => {
    const { registry } = remembered(`oci:${HOST}`, { fetch: fetchFrom(endless()) });
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `list-too-large: ${WHERE} has too many tags: the limit was reached after 500 pages`,
    );
  });

  it('[T405] each page extends the 30 s for all of them by 1 s', async () => {
    const clock = testClock();
    const pages = endless();
    const slow = fetchFrom(async (request) => {
      clock.advance(4000);
      return await pages(request);
    });
    const { registry } = remembered(`oci:${HOST}`, { fetch: slow, clock });
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `registry-timeout: ${WHERE} takes too long to list its tags: 11 pages so far`,
    );
  });

  it('the size limit of a list applies to all pages together', async () => {
    const { registry } = remembered(`oci:${HOST}`, { limits: { largestList: 100 } });
    asked.next(endless());
    expect(await outcomeOf(registry.read(LIDAR))).toBe(
      `list-too-large: the response from ${WHERE} is too large: it has more than 24 bytes`,
    );
  });
});

it.each(['Acme:lidar', 'acme:li--_dar', 'acme:lidar_'])(
  '%s is refused without a request, because it is not a repository name',
  async (id) => {
    const { registry } = remembered(`oci:${HOST}`);
    expect(await outcomeOf(registry.read(moduleId(id)))).toBe(
      `unknown-module: ${WHERE} cannot have a module ${id}: a repository name has lower-case letters and digits, with single separators between them`,
    );
    expect(asked.requests).toEqual([]);
  },
);

describe('Link', () => {
  const next = `<${PATH}?x>`;
  it.each([
    [`${next}; rel=next`, 2],
    [`${next}; rel="next"`, 2],
    [`${next};rel="last next"`, 2],
    [`<a>; rel="prev", ${next}; rel="next"`, 2],
    [`${next}; title="a"; REL="NEXT"`, 2],
    [`${next}; title="a>b, <c>"; rel="next"`, 2],
    [`${next}; title="; rel=next"`, 1],
    [`${next}; rel="previous"`, 1],
    [`${next}; rel="nextish"`, 1],
    [next, 1],
    ['', 1],
  ])('%s', async (link, count) => {
    const { registry } = remembered(`oci:${HOST}`);
    asked.next(page([], link), page([]));
    await registry.read(LIDAR);
    expect(asked.requests).toHaveLength(count);
  });
});
