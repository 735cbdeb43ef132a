import { expect, it, onTestFinished } from 'vitest';
import { openRegistries } from '../../../src/registries/open-registries.ts';
import { readRelease } from '../../../src/server/index.ts';
import { testRegistry } from '../../../src/testing/index.ts';
import { constraint, moduleId } from '../../support/ask.ts';
import { AUTHOR, signed, trustOf } from '../../support/signed.ts';

const TRUST = trustOf();
const IDS = Array.from({ length: 50 }, (_, place) => moduleId(`other:m${place}`));

it('[T464] what queries of new lists select is checked ahead, one list in each turn', async () => {
  const server = testRegistry();
  onTestFinished(() => server.close());
  const { address, fetch, catalogue } = server;
  catalogue.trust.store(TRUST.text);
  for (const id of IDS) {
    for (const version of ['1.0.0', '1.1.0', '2.0.0']) {
      const release = signed(id, { version, published_at: '2026-11-23T10:00:00Z' }, AUTHOR);
      const read = readRelease(release);
      if (read.ok) catalogue.publish(id, read.value, 0);
    }
  }
  const registry = openRegistries({ fetch }).registryFor({ registry: address, trust: TRUST.pin });
  const query = { constraint: constraint('1.*'), eligibility: { now: 0, platform: 'linux/arm64' } };
  const wanted = () => [query as never];
  let most = 0;
  let last = 0;
  const checked = (lists: Awaited<ReturnType<typeof registry.readAll>>): number =>
    [...lists.values()].filter((list) => list.ok && list.value.trust?.verdicts?.has('1.1.0'))
      .length;
  await registry.readAll(IDS);
  // The lists are known now, and none of them has been checked.
  const before = await registry.readAll(IDS);
  expect(checked(before)).toBe(0);
  const turn = (): void => {
    const count = checked(before);
    most = Math.max(most, count - last);
    last = count;
    if (last < IDS.length) setImmediate(turn);
  };
  setImmediate(turn);
  const after = await registry.readAll(IDS, undefined, wanted);
  expect(checked(after)).toBe(IDS.length);
  const verdicts = Array.from(after.values(), (list) => list.ok && list.value.trust?.verdicts);
  expect(verdicts).toEqual(IDS.map(() => new Map([['1.1.0', null]])));
  expect(most).toBeLessThan(IDS.length / 5);
});
