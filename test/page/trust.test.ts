import { describe, expect, it } from 'vitest';
import { pageApp } from '../../src/page/app.ts';
import { machineOnPage } from '../../src/page/machine/machine-on-page.ts';
import { temporaryFolder } from '../support/folder.ts';
import { homeAfter } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';
import { quietWorld } from '../support/quiet-world.ts';
import { APPROVER, AUTHOR, digestOf, signed, trustOf } from '../support/signed.ts';
import { textOf } from './support/machine-page.ts';
import { moduleId, testSite } from './support/site-page.ts';

const TRUST = trustOf();
const LIDAR = { kind: 'module', name: 'lidar', moduleId: moduleId('acme:lidar') } as const;
const DAY = 86_400_000;
const EXPIRES = Date.parse('2027-11-27T00:00:00Z');

function release(version: string) {
  const artifacts = [
    { platform: 'any', url: 'https://a.example/f', digest: digestOf(version), size: 5 },
  ];
  return { version, published_at: '2026-11-20T10:00:00Z', artifacts };
}

/** The lines of the page of a machine with a lidar, at `now`. */
async function shown(
  constraint: string,
  policy: object,
  now = EXPIRES - 100 * DAY,
): Promise<string[]> {
  const releases = [
    signed('acme:lidar', release('1.2.0'), AUTHOR, APPROVER),
    signed('acme:lidar', release('1.4.0'), AUTHOR),
    {
      ...signed('acme:lidar', release('1.5.0'), AUTHOR, APPROVER),
      published_at: '2026-11-19T10:00:00Z',
    },
  ];
  const home = temporaryFolder({
    'machine.json': JSON.stringify({ modules: [entry('acme:lidar', constraint, 'lidar')] }),
    'lists/acme/lidar.json': JSON.stringify({ releases }),
    'lists/trust.txt': TRUST.text,
  });
  const own = temporaryFolder({
    'policy.json': JSON.stringify({ registry: `${home}/lists`, ...policy }),
  });
  const world = {
    ...quietWorld('linux/arm64'),
    environment: { PLATFORM_HOME: homeAfter((state) => state.report(LIDAR, '1.0.0', 1)) },
    clock: () => now,
  };
  const machine = machineOnPage(`${home}/machine.json`, { policy: `${own}/policy.json` }, world);
  return await textOf(
    pageApp(machine, { assets: { style: '', script: '' }, access: undefined }),
    '/',
  );
}

const PINNED = { trust: TRUST.pin };

describe('[D178] the page of a machine', () => {
  it.each([
    ['what is signed', '1.2.0', PINNED, 'signatures signed 2 of 2'],
    ['what lacks a signature', '1.4.0', PINNED, 'signatures signed 1 of 2'],
    ['what has a wrong one', '1.5.0', PINNED, 'signatures bad signature'],
    ['what is not published', '1.6.0', PINNED, 'signatures -'],
    ['what nobody has to sign', '1.4.0', {}, 'signatures unsigned'],
    ['the same if that is meant', '1.4.0', { trust: 'unsigned' }, 'signatures unsigned'],
  ])('says of %s who signed it', async (_what, constraint, policy, expected) => {
    expect(
      (await shown(constraint, policy)).filter((line) => line.startsWith('signatures')),
    ).toEqual([expected]);
  });

  it.each([
    ['without trust', { registry: 'https://registry.example' }, 1],
    ['with trust', { registry: 'https://registry.example', ...PINNED }, 0],
    ['that says unsigned', { registry: 'https://registry.example', trust: 'unsigned' }, 0],
  ])('warns of a policy %s', async (_what, policy, count) => {
    const lines = await shown('1.*', policy);
    expect(lines.filter((line) => line.startsWith('UNSIGNED_RELEASES'))).toHaveLength(count);
  });

  it.each([
    [60 * DAY, []],
    [
      60 * DAY - 1000,
      ['TRUST_EXPIRES the trust document of LISTS expires at 2027-11-27T00:00:00Z, in 59 d 23 h'],
    ],
    [0, []],
  ])('warns %i ms before the trust document expires', async (left, expected) => {
    const lines = await shown('1.*', PINNED, EXPIRES - left);
    const found = lines.filter((line) => line.startsWith('TRUST_EXPIRES'));
    expect(found.map((line) => line.replace(/"?\/\S+lists"?/, 'LISTS'))).toEqual(expected);
  });
});

describe('[D177, D178] the page of a site', () => {
  it('warns that a registry has no keys, and counts the machines without a pin', async () => {
    const site = testSite();
    await site.report('rover-1', [{}]);
    expect((await textOf(site.app, '/')).slice(0, 7)).toEqual([
      'Machines',
      '1 in total',
      '1 seen in 24 h',
      '0 stuck',
      '0 behind',
      '1 without a pin',
      'UNSIGNED_RELEASES this registry has no keys, so what machines run needs no signature',
    ]);
  });

  it('warns from 60 days before its trust document expires', async () => {
    const site = testSite();
    site.catalogue.trust.store(TRUST.text);
    const warnings = async (): Promise<string[]> => {
      return (await textOf(site.app, '/')).filter((line) => /^[A-Z]+_[A-Z]+ /.test(line));
    };
    site.now = EXPIRES - 60 * DAY;
    expect(await warnings()).toEqual(['NO_REPORTS no machine has reported to this registry yet']);
    const later = testSite();
    later.catalogue.trust.store(TRUST.text);
    later.now = EXPIRES - DAY;
    const first = (await textOf(later.app, '/')).find((line) => line.startsWith('TRUST_EXPIRES'));
    expect(first).toBe(
      'TRUST_EXPIRES the trust document of this registry expires at 2027-11-27T00:00:00Z, in 1 d',
    );
  });
});
