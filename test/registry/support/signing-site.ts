import { writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import type { ModuleId } from '../../../src/core/index.ts';
import { openRegistries } from '../../../src/registries/open-registries.ts';
import { systemClock } from '../../../src/registry/clock.ts';
import type { CachedRegistry } from '../../../src/registry/registry.ts';
import { Catalogue, readRelease, serveRegistry } from '../../../src/server/index.ts';
import { openMachineFile, savedListsIn } from '../../../src/store/index.ts';
import { moduleId } from '../../support/ask.ts';
import { temporaryFolder } from '../../support/folder.ts';
import {
  AUTHOR,
  key,
  role,
  signed,
  trustOf,
  type TestKey,
  type TestTrust,
} from '../../support/signed.ts';
import { lyingProxy, type LyingProxy } from './lying-proxy.ts';
import { LIDAR } from './trusted.ts';

export const RADAR: ModuleId = moduleId('acme:radar');
export const REGISTRY: TestKey = key('registry');
export const NAMESPACE: string = role('namespace acme', 1, AUTHOR);
export const TRUST: TestTrust = trustOf([role('registry', 1, REGISTRY), NAMESPACE]);
const AT = '2026-11-23T10:00:00Z';

export interface SigningSite {
  readonly proxy: LyingProxy;
  readonly catalogue: Catalogue;
  readonly publish: (id: ModuleId, version: string) => void;
  /** A process of the machine. */
  readonly machine: (pin?: string, now?: number) => CachedRegistry;
  /** The newest version in the list, and why the list is not confirmed. */
  readonly read: (registry: CachedRegistry, id?: ModuleId) => Promise<unknown[]>;
}

/** A registry that signs its answers, behind a proxy, with a machine. */
export async function signingSite(
  trust: TestTrust = TRUST,
  signer: TestKey | 'nobody' = REGISTRY,
): Promise<SigningSite> {
  const folder = temporaryFolder();
  const path = `${folder}/registry.db`;
  if (signer !== 'nobody') {
    const pem = signer.privateKey.export({ type: 'pkcs8', format: 'pem' });
    writeFileSync(`${path}-key`, pem);
  }
  const catalogue = new Catalogue(path, { mode: 'create' });
  catalogue.trust.store(trust.text);
  const running = await serveRegistry(catalogue, { host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await running.close();
    catalogue.close();
  });
  const publish = (id: ModuleId, version: string): void => {
    const read = readRelease(signed(id, { version, published_at: AT }, AUTHOR));
    if (read.ok) expect(catalogue.publish(id, read.value, Date.parse(AT))).toBe('published');
  };
  publish(LIDAR, '1.0.0');
  publish(RADAR, '1.0.0');
  const proxy = await lyingProxy(running.address);
  const file = openMachineFile(`${folder}/machine.db`);
  onTestFinished(() => file.close());
  const machine = (pin: string | undefined = trust.pin, now?: number): CachedRegistry =>
    openRegistries({
      saved: savedListsIn(file),
      ...(now !== undefined && { clock: { ...systemClock, now: () => now } }),
    }).registryFor({ registry: proxy.address, allowHttp: ['127.0.0.1'], trust: pin });
  const shown = (text = ''): string => text.replaceAll(proxy.address, 'REGISTRY');
  const read = async (registry: CachedRegistry, id = LIDAR): Promise<unknown[]> => {
    const result = (await registry.readAll([LIDAR, RADAR])).get(id);
    if (result?.ok !== true) return [result?.error.kind, shown(result?.error.message)];
    const { records, stale } = result.value;
    const newest = [...records].at(-1)?.version;
    return stale ? [newest, stale.kind, shown(stale.message)] : [newest];
  };
  return { proxy, publish, machine, read, catalogue };
}
