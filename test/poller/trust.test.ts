import { describe, expect, it } from 'vitest';
import { testMachine } from '../../src/testing/index.ts';
import { moduleId } from '../support/ask.ts';
import { APPROVER, AUTHOR, digestOf, signed, trustOf, VENDOR } from '../support/signed.ts';

const AT = '2026-11-23T10:00:00Z';
const TRUST = trustOf();

function release(version: string, content: string) {
  const digest = digestOf(content);
  const url = `https://files.example/${content}`;
  const artifacts = [{ platform: 'linux/arm64', url, digest, size: content.length }];
  return { version, published_at: AT, artifacts };
}

const SIGNED = signed('acme:lidar', release('1.2.0', 'right'), AUTHOR, APPROVER);
const FORGED = {
  ...signed('acme:lidar', release('1.3.0', 'right'), AUTHOR, APPROVER),
  ...release('1.3.0', 'forged'),
};

async function started(version: string, releases: readonly object[]) {
  const machine = testMachine({
    machine: { modules: [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version }] },
    policy: { trust: TRUST.pin },
    deployed: { lidar: null },
    now: '2026-11-23T12:00:00Z',
  });
  machine.registry.publish('acme:lidar', ...(releases as never[]));
  // With keys, it would refuse what is not signed.
  machine.registry.catalogue.trust.store(TRUST.text);
  await machine.pass(60 * 60_000);
  const delivered = machine.deliveries.map(({ action }) => [action.to, action.artifact?.digest]);
  return { machine, delivered };
}

describe('[D133] a poller whose policy names a trust document', () => {
  it('delivers what enough keys signed, with the file that they signed', async () => {
    const { machine, delivered } = await started('1.*', [SIGNED, FORGED, release('1.4.0', 'x')]);
    expect(delivered).toEqual([['1.2.0', digestOf('right')]]);
    // One of two signatures is not enough; the approver's arrives later.
    machine.registry.publish('acme:lidar', signed('acme:lidar', release('1.4.0', 'x'), AUTHOR));
    await machine.pass(60 * 60_000);
    expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.2.0']);
    machine.registry.publish('acme:lidar', signed('acme:lidar', release('1.4.0', 'x'), APPROVER));
    await machine.pass(60 * 60_000);
    expect(machine.deliveries.map(({ action }) => action.to)).toEqual(['1.2.0', '1.4.0']);
    await machine.close();
  });

  it('delivers no pin that is forged', async () => {
    const { machine, delivered } = await started('1.3.0', [SIGNED, FORGED]);
    expect(delivered).toEqual([]);
    await machine.close();
  });

  it('delivers nothing of a registry with another document', async () => {
    const machine = testMachine({
      machine: {
        modules: [{ type: 'registry', name: 'lidar', module_id: 'acme:lidar', version: '1.*' }],
      },
      policy: { trust: trustOf([]).pin },
      deployed: { lidar: null },
      now: '2026-11-23T12:00:00Z',
    });
    machine.registry.catalogue.trust.store(TRUST.text);
    machine.registry.publish('acme:lidar', SIGNED);
    await machine.pass(60 * 60_000);
    expect(machine.deliveries).toEqual([]);
    await machine.close();
  });

  it.each([
    ['delivers no agent that a key of * signed', AUTHOR, []],
    ['delivers an agent that a key of platform signed', VENDOR, ['2.0.0']],
  ])('%s', async (_title, key, expected) => {
    const machine = testMachine({
      machine: { agent: { 'platform-agent': { release_channel: 'stable' } } },
      policy: { trust: TRUST.pin },
      deployed: { 'platform-agent': '1.0.0' },
      now: '2026-11-23T12:00:00Z',
    });
    const agent = signed('platform:agent', release('2.0.0', 'agent'), key);
    machine.registry.publish(moduleId('platform:agent'), agent);
    machine.registry.catalogue.trust.store(TRUST.text);
    await machine.pass(60 * 60_000);
    expect(machine.deliveries.map(({ action }) => action.to)).toEqual(expected);
    await machine.close();
  });
});
