import { describe, expect, it, onTestFinished } from 'vitest';
import { served, type Answer } from '../../mocks/network.ts';
import { ociContents, ociRepository } from '../../mocks/oci-registry.ts';
import { DEFAULT_POLICY, readMachine } from '../../src/config/index.ts';
import { Poller } from '../../src/poller/index.ts';
import { openRegistries } from '../../src/registries/index.ts';
import { savedListsIn } from '../../src/store/index.ts';
import { claimed } from '../support/claimed.ts';
import { skippingClock } from '../support/clock.ts';
import { entry } from '../support/planned.ts';
import { value } from '../support/reading.ts';

const DAY = 86_400_000;

interface Delivered {
  readonly version: string;
  readonly hasFile: boolean;
}

/**
 * What a poller delivers to an agent, in order, on whose machine these versions do not work. Its next round would be a day later. The
 * registry fails when it is asked for the manifest of `broken`.
 */
async function deliveries(failing: ReadonlySet<string>, broken?: string): Promise<Delivered[]> {
  const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0'];
  const releases = versions.map((tag) => [tag, { body: Buffer.from(tag) }]);
  const repository = ociRepository('acme/lidar', ociContents(Object.fromEntries(releases)));
  const answer: Answer = async (request) =>
    request.url.endsWith(`/manifests/${broken}`)
      ? new Response(null, { status: 500 })
      : await repository(request);
  const registry = `oci:${await served(answer)}`;
  const machine = value(
    readMachine(JSON.stringify({ modules: [entry('acme:lidar', '1.*', 'lidar')] })),
  );
  const policy = {
    terms: { ...DEFAULT_POLICY.terms, registry, restartCooldownMs: 0 },
    modules: new Map(),
  };
  const file = claimed();
  let deployed: string | null = null;
  const poller = new Poller({
    file,
    configuration: () => ({ machine, policy }),
    registryFor: openRegistries({ saved: savedListsIn(file) }).registryFor,
    deployedVersion: ({ kind }) => (kind === 'module' ? deployed : undefined),
    platform: 'linux/arm64',
    clock: skippingClock(),
    intervalMs: DAY,
  });
  onTestFinished(async () => await poller.stop());
  poller.start();
  const delivered: Delivered[] = [];
  for await (const { action, done, failed } of poller.deliveries()) {
    delivered.push({ version: action.to, hasFile: action.artifact?.url !== undefined });
    if (failing.has(action.to)) {
      await failed({ reason: 'it ended', blame: 'release', running: null });
      continue;
    }
    deployed = action.to;
    await done();
    break;
  }
  return delivered;
}

describe('[D140] an action has the file of its release', () => {
  it.each<readonly [string, readonly string[]]>([
    ['the newest one works', ['1.3.0']],
    ['the newest one fails', ['1.3.0', '1.2.0']],
    ['all but the oldest fail', ['1.3.0', '1.2.0', '1.1.0', '1.0.0']],
  ])('%s', async (_, order) => {
    const failing = new Set(order.slice(0, -1));
    expect(await deliveries(failing)).toEqual(order.map((version) => ({ version, hasFile: true })));
  });

  it('or its registry was asked for it in vain', async () => {
    const failing = new Set(['1.3.0', '1.2.0']);
    const delivered = await deliveries(failing, '1.1.0');
    expect(delivered.at(-1)).toEqual({ version: '1.1.0', hasFile: false });
  });
});
