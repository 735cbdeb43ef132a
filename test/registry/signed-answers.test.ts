import { describe, expect, it } from 'vitest';
import { digestOf, role, STRANGER, trustOf, type TestKey } from '../support/signed.ts';
import { HONEST, type Lie, type Passed } from './support/lying-proxy.ts';
import { NAMESPACE, RADAR, REGISTRY, signingSite, TRUST } from './support/signing-site.ts';
import { LIDAR } from './support/trusted.ts';

const SIGNATURE = 'modreg-signature';

function isAbout(path: string, part: 'list' | 'changes'): boolean {
  return path.startsWith(part === 'list' ? '/v1/modules/acme/lidar' : '/v1/changes');
}

/** Lies about lists, or about changes. */
function about(part: 'list' | 'changes', lie: Lie): Lie {
  return async (path, ask) => await (isAbout(path, part) ? lie(path, ask) : ask(path));
}

function without(answer: Passed, header: string): Passed {
  return {
    ...answer,
    headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== header)),
  };
}

function signedAs(answer: Passed, change: (header: string) => string): Passed {
  const header = change(answer.headers[SIGNATURE] ?? '');
  return { ...answer, headers: { ...answer.headers, [SIGNATURE]: header } };
}

function replayed(part: 'list' | 'changes'): Lie {
  let first: Passed | undefined;
  return about(part, async (path, ask) => (first ??= await ask(path)));
}

const OTHER = 'the registry REGISTRY signed another answer, or the answer to another question';
const NONE = 'the registry REGISTRY did not sign its answer';
const OTHER_NONCE = (path: string): string =>
  path.replace(/nonce=(.)/, (_, first) => `nonce=${first === '_' ? '-' : '_'}`);

/** What a proxy does with the answers about changes or lists, and what the machine says. */
const LIES: [string, (part: 'list' | 'changes') => Lie, string][] = [
  ['repeats an earlier answer', replayed, OTHER],
  [
    'asks with another nonce',
    (part) => about(part, async (path, ask) => await ask(OTHER_NONCE(path))),
    OTHER,
  ],
  [
    'asks without one',
    (part) => about(part, async (path, ask) => await ask(path.replace(/[?&]nonce=[^&]*/, ''))),
    NONE,
  ],
  [
    'leaves the signature out',
    (part) => about(part, async (path, ask) => without(await ask(path), SIGNATURE)),
    NONE,
  ],
  [
    'cuts the signature',
    (part) =>
      about(part, async (path, ask) => signedAs(await ask(path), (one) => one.slice(0, -4))),
    NONE,
  ],
  [
    'signs with its own key',
    (part) =>
      about(part, async (path, ask) =>
        signedAs(await ask(path), () => `1 ${STRANGER.id} ${STRANGER.sign('x')}`),
      ),
    `the registry REGISTRY signed its answer with key ${STRANGER.id}, which its trust document does not name`,
  ],
  [
    'signs with its own key under the name of another',
    (part) =>
      about(part, async (path, ask) =>
        signedAs(await ask(path), () => `1 ${REGISTRY.id} ${STRANGER.sign('x')}`),
      ),
    OTHER,
  ],
  [
    'changes the body',
    (part) =>
      about(part, async (path, ask) => {
        const answer = await ask(path);
        return { ...answer, body: answer.body.replace(/\}\s*$/, ',"more":1}') };
      }),
    OTHER,
  ],
];

describe.each(['changes', 'list'] as const)('[D148] a proxy that, of the %s,', (part) => {
  it.each(LIES)('%s: a saved list is used, and not confirmed', async (_title, lie, message) => {
    const { proxy, publish, machine, read } = await signingSite();
    const registry = machine();
    expect(await read(registry)).toEqual(['1.0.0']);
    proxy.lie = lie(part);
    // What is to be repeated is heard before the release.
    await read(registry);
    if (part === 'list')
      await fetch(`${proxy.address}/v1/modules/acme/lidar?nonce=${'a'.repeat(22)}`);
    publish(LIDAR, '1.1.0');
    const before = Date.now();
    expect(await read(registry)).toEqual(['1.0.0', 'registry-untrusted', message]);
    const list = (await registry.readAll([LIDAR])).get(LIDAR);
    expect(list?.ok === true && Number(list.value.fetchedAt) <= before).toBe(true);
    // Another module is only concerned if nothing says what has changed.
    expect(await read(registry, RADAR)).toEqual(
      part === 'list' ? ['1.0.0'] : ['1.0.0', 'registry-untrusted', message],
    );
    // A new process knows no more.
    expect(await read(machine())).toEqual(['1.0.0', 'registry-untrusted', message]);
    proxy.lie = HONEST;
    expect(await read(registry)).toEqual(['1.1.0']);
    expect(await read(machine())).toEqual(['1.1.0']);
  });

  it.each(LIES)('%s: a new machine has no list', async (_title, lie, message) => {
    const { proxy, machine, read } = await signingSite();
    proxy.lie = lie(part);
    await fetch(`${proxy.address}/v1/modules/acme/lidar?nonce=${'a'.repeat(22)}`);
    await fetch(`${proxy.address}/v1/changes?after=0&nonce=${'a'.repeat(22)}`);
    const registry = machine();
    expect(await read(registry)).toEqual(['registry-untrusted', message]);
    const single = await registry.read(LIDAR).catch((error: Error) => error.message);
    expect(part === 'changes' || single).toBe(
      part === 'changes' || message.replace('REGISTRY', proxy.address),
    );
  });
});

describe('[D148] a proxy', () => {
  it.each<[string, Lie, string]>([
    [
      'asks after a later change',
      about('changes', async (path, ask) => await ask(path.replace(/after=\d+/, 'after=3'))),
      OTHER,
    ],
    [
      'asks about another module',
      about('changes', async (path, ask) => await ask(`${path}&modules=acme:radar`)),
      NONE,
    ],
    [
      'answers with the list of another module',
      about('list', async (path, ask) => await ask(path.replace('lidar', 'radar'))),
      OTHER,
    ],
    [
      'says that the list has not changed',
      about('list', async (path, ask) => ({ ...(await ask(path)), status: 304, body: '' })),
      OTHER,
    ],
    [
      'answers by another version of the trust document',
      about('list', async (path, ask) =>
        signedAs(await ask(path), (one) => one.replace(/^1/, '2')),
      ),
      'the registry REGISTRY signed its answer by version 2 of its trust document, expected 1',
    ],
  ])('%s', async (_title, lie, message) => {
    const { proxy, publish, machine, read } = await signingSite();
    const registry = machine();
    await read(registry);
    publish(LIDAR, '1.1.0');
    proxy.lie = lie;
    expect(await read(registry)).toEqual(['1.0.0', 'registry-untrusted', message]);
    proxy.lie = HONEST;
    expect(await read(registry)).toEqual(['1.1.0']);
  });
});

describe('[D148] a registry', () => {
  it.each<[string, TestKey | 'nobody', string]>([
    ['without its key', 'nobody', NONE],
    [
      'with another key',
      STRANGER,
      `the registry REGISTRY signed its answer with key ${STRANGER.id}, which its trust document does not name`,
    ],
  ])('[T465] %s has no lists', async (_title, signer, message) => {
    const { machine, read } = await signingSite(TRUST, signer);
    expect(await read(machine())).toEqual(['registry-untrusted', message]);
  });

  it('that needs two keys cannot sign', async () => {
    const { machine, read } = await signingSite(
      trustOf([role('registry', 2, REGISTRY, STRANGER), NAMESPACE]),
    );
    expect(await read(machine())).toEqual([
      'registry-untrusted',
      'the registry REGISTRY signed its answer with 1 of 2 keys',
    ]);
  });

  it('whose document names no key for answers need not sign them', async () => {
    const { proxy, machine, read } = await signingSite(trustOf([NAMESPACE]), 'nobody');
    expect(await read(machine())).toEqual(['1.0.0']);
    expect(proxy.requests.join()).not.toContain('nonce');
  });

  it('signs nothing for a machine without a pin, and no wait', async () => {
    const { proxy, publish, machine, read } = await signingSite();
    expect(await read(machine('unsigned'))).toEqual(['1.0.0']);
    expect(proxy.requests.join()).not.toContain('nonce');
    const registry = machine();
    await read(registry);
    const count = proxy.requests.length;
    const waiting = registry.awaitChange([LIDAR], 20_000);
    await expect.poll(() => proxy.requests.length).toBe(count + 1);
    publish(LIDAR, '1.1.0');
    expect(await waiting).toMatchObject({ hasChanged: true });
    expect(proxy.requests.at(-1)).toMatch(
      /^\/v1\/changes\?after=2&wait=[\d.]+&modules=acme:lidar$/,
    );
  });

  it('is asked with a nonce that was never used, once in a round without a change', async () => {
    const { proxy, machine, read } = await signingSite();
    const registry = machine();
    await read(registry);
    const count = proxy.requests.length;
    for (let round = 0; round < 5; round++) expect(await read(registry)).toEqual(['1.0.0']);
    const quiet = proxy.requests.slice(count);
    expect(quiet.map((path) => path.replace(/=[\w-]{22}$/, '=NONCE'))).toEqual(
      quiet.map(() => '/v1/changes?after=2&nonce=NONCE'),
    );
    expect([quiet.length, new Set(quiet).size]).toEqual([5, 5]);
  });
});

it('[D149] a signed answer confirms no list that was saved by an unsigned one', async () => {
  const { proxy, publish, machine, read } = await signingSite();
  let old: Passed | undefined;
  // Without a pin, a list is taken that is older than what the feed says.
  proxy.lie = about('list', async (path, ask) => (old ??= await ask(path)));
  expect(await read(machine('unsigned'))).toEqual(['1.0.0']);
  publish(LIDAR, '1.1.0');
  expect(await read(machine('unsigned'))).toEqual(['1.0.0']);
  proxy.lie = HONEST;
  const count = proxy.requests.length;
  expect(await read(machine('unsigned'))).toEqual(['1.0.0']);
  expect(await read(machine())).toEqual(['1.1.0']);
  // The next process needs one request, and so does one without a pin for each list.
  const before = proxy.requests.length;
  expect(before - count).toBeLessThan(10);
  expect(await read(machine())).toEqual(['1.1.0']);
  expect(proxy.requests.length - before).toBe(1);
  expect(await read(machine('unsigned'))).toEqual(['1.1.0']);
  expect(await read(machine())).toEqual(['1.1.0']);
});

it('[D148] an answer of the feed names what the text says', async () => {
  const { proxy } = await signingSite();
  const nonce = 'AAAAAAAAAAAAAAAAAAAAAA';
  for (const [path, question] of [
    [`/v1/changes?after=1&nonce=${nonce}`, 'changes 1'],
    [`/v1/modules/acme/lidar?nonce=${nonce}`, 'list acme:lidar'],
  ] as const) {
    const answer = await fetch(`${proxy.address}${path}`);
    const sha256 = digestOf(await answer.text()).slice('sha256:'.length);
    const text = `modreg/answer@1\nacme-plant\n1\n${nonce}\n${question}\n${sha256}\n`;
    expect(answer.headers.get(SIGNATURE)).toBe(`1 ${REGISTRY.id} ${REGISTRY.sign(text)}`);
    // What is no nonce does not get into the text.
    for (const wrong of ['short', `${nonce}A`, `${nonce.slice(1)}%0A`]) {
      const other = await fetch(`${proxy.address}${path.replace(nonce, wrong)}`);
      expect([other.status, other.headers.get(SIGNATURE)]).toEqual([200, null]);
    }
  }
});
