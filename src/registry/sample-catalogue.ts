import { parseModuleId, type ModuleId } from '../core/index.ts';
import { lazyList } from './formats/decoded-list.ts';
import { moduleEntries } from './formats/module-document.ts';
import type { Registry } from './registry.ts';
import { unknownModule } from './unknown-module.ts';

const BOTH = ['linux/amd64', 'linux/arm64'];

// The history of one module, in the order of publication.
const LIDAR = [
  release('0.9.0', '2025-02-03T09:00:00Z', { deprecated: 'its frame rate drifts; use 1.x' }),
  release('1.2.3', '2025-04-07T09:00:00Z'),
  release('1.2.8', '2025-06-16T09:00:00Z'),
  { version: 'reload-20250701', published_at: '2025-07-01T16:20:00Z' },
  release('1.2.9', '2025-07-14T09:00:00Z'),
  release('1.2.10', '2025-09-01T09:00:00Z', { yanked: 'stops the motor when the bus is slow' }),
  release('1.9.0', '2025-10-06T09:00:00Z'),
  release('1.9.1', '2025-10-20T09:00:00Z', {}, ['linux/amd64']),
  release('1.10.0+build.9', '2025-12-01T09:00:00Z'),
  release('1.10.0+build.17', '2025-12-02T09:00:00Z'),
  release('2.0.0', '2026-03-02T09:00:00Z'),
  release('2.0.1', '2026-05-04T09:00:00Z'),
  release('1.2.11-rc.1', '2026-06-01T09:00:00Z'),
  release('2.1.0-rc.1', '2026-09-07T09:00:00Z'),
];
const ARM = [release('1.0.0', '2025-03-03T09:00:00Z'), release('2.4.0', '2026-01-12T09:00:00Z')];
const CAM = [release('1.0.4', '2025-05-05T09:00:00Z'), release('1.3.0', '2026-02-09T09:00:00Z')];
const CATALOGUE: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['acme:lidar', LIDAR],
  ['acme:arm', ARM],
  ['acme:cam', CAM],
]);

/** A small catalogue for trying out modreg. Its releases do not exist. */
export const sampleCatalogue: Registry = {
  async read(moduleId) {
    const releases = CATALOGUE.get(moduleId);
    if (!releases) throw unknownModule('the sample catalogue', moduleId, sampleModules());
    const entries = moduleEntries({ module_id: moduleId, releases }, moduleId);
    const from = 'the sample catalogue';
    return lazyList(entries, { source: 'sample', from, fetchedAt: undefined });
  },
};

export function sampleModules(): ModuleId[] {
  return [...CATALOGUE.keys()].flatMap((text) => {
    const id = parseModuleId(text);
    return id.ok ? [id.value] : [];
  });
}

function release(
  version: string,
  published_at: string,
  rest: { readonly yanked?: string; readonly deprecated?: string } = {},
  platforms: readonly string[] = BOTH,
): unknown {
  return { version, published_at, ...rest, artifacts: platforms.map((platform) => ({ platform })) };
}
