import { expect, onTestFinished } from 'vitest';
import { resolve, type ModuleId } from '../../../src/core/index.ts';
import { openRegistries } from '../../../src/registries/open-registries.ts';
import { moduleListOf } from '../../../src/registry/module-list.ts';
import type { CachedRegistry } from '../../../src/registry/registry.ts';
import { readRelease, type Catalogue } from '../../../src/server/index.ts';
import { testRegistry, type TestRegistry } from '../../../src/testing/index.ts';
import { chosen, constraint, moduleId, refusals } from '../../support/ask.ts';
import {
  APPROVER,
  AUTHOR,
  digestOf,
  signed,
  trustOf,
  type TestRelease,
  type TestTrust,
} from '../../support/signed.ts';

export const LIDAR = moduleId('acme:lidar');
export const TRUST = trustOf();
const AT = '2026-11-23T10:00:00Z';
const fileOf = (content: string) => ({
  platform: 'any',
  url: `https://files.example/${content}`,
  digest: digestOf(content),
  size: content.length,
});
export function release(version: string, content: string = version): TestRelease {
  return { version, published_at: AT, artifacts: [fileOf(content)] };
}

export const SIGNED = signed('acme:lidar', release('1.2.0'), AUTHOR, APPROVER);
export const RELEASES = [
  SIGNED,
  // Another file under the signatures of a release, a release of one of two keys, and one of nobody.
  { ...signed('acme:lidar', release('1.3.0'), AUTHOR, APPROVER), artifacts: [fileOf('forged')] },
  signed('acme:lidar', release('1.4.0'), AUTHOR),
  release('1.5.0'),
];
export const REFUSED = ['1.5.0: unsigned', '1.4.0: unsigned', '1.3.0: bad-signature'];

export function registryWith(
  trust: TestTrust | undefined,
  releases: readonly object[],
): TestRegistry {
  const registry = testRegistry();
  onTestFinished(() => registry.close());
  publishIn(registry.catalogue, releases);
  // With keys, it would refuse what is not signed.
  if (trust) registry.catalogue.trust.store(trust.text);
  return registry;
}

export function publishIn(catalogue: Catalogue, releases: readonly object[]): void {
  for (const one of releases) {
    const read = readRelease(one);
    if (!read.ok) throw new Error(read.error.join('; '));
    expect(catalogue.publish(LIDAR, read.value, Date.parse(AT))).toBe('published');
  }
}

export function opened(
  registry: string,
  trust: string | undefined,
  fetch?: typeof globalThis.fetch,
): CachedRegistry {
  return openRegistries({ ...(fetch && { fetch }) }).registryFor({ registry, trust });
}

/** What is selected, and why the others are not. */
export async function selected(
  registry: CachedRegistry,
  wanted: string,
): Promise<readonly unknown[]> {
  const results = await registry.readAll([LIDAR]);
  const result = results.get(LIDAR);
  if (result?.ok !== true) throw result?.error ?? new Error('no result');
  const list = moduleListOf(result);
  if ('error' in list) throw new Error(list.error.message);
  const resolution = resolve(constraint(wanted), list.index, { now: 0, trust: list.trust });
  return [chosen(resolution), refusals(resolution)];
}

export async function failure(registry: CachedRegistry, id: ModuleId = LIDAR): Promise<unknown> {
  const single = await registry.read(id).catch((error: unknown) => error);
  const result = (await registry.readAll([id])).get(id);
  const error = result?.ok === false ? result.error : undefined;
  expect(single).toEqual(error);
  return error && [error.kind, error.message, error.hint];
}

export async function askedInVain(): Promise<Response> {
  return await Promise.reject(new Error('nothing is asked'));
}

export const HINT =
  'compare the digest in the policy with what modreg keys show prints for the file of the registry';
