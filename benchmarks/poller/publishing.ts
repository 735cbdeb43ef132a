import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DEFAULT_POLICY, readMachine } from 'modreg/config';
import { type PollerOptions } from 'modreg/poller';
import { openRegistries, type CachedRegistry, type OpenRegistriesOptions } from 'modreg/registry';
import { openForPoller, type ClaimedFile } from 'modreg/store';
import type { ClaimedFile as WholeFile } from '../../src/store/claim.ts';
import { moduleId } from '../parsed.ts';

/** A registry in a separate process, and a machine.db. */
export interface Site {
  readonly file: ClaimedFile;
  /** The policy of a machine that uses it. */
  readonly policy: { readonly registry: string; readonly trust?: string };
  readonly registry: (options: OpenRegistriesOptions) => CachedRegistry;
  readonly publish: (module: string, version: string) => void;
  readonly close: () => void;
}

/** Starts a registry with `bench:m0` to `bench:m<modules - 1>`, each with `releases` releases. */
export async function openSite(
  modules: number,
  releases: number,
  kind: 'plain' | 'signed' = 'plain',
): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'modreg-bench-'));
  const script = join(import.meta.dirname, 'server.ts');
  const place = [join(folder, 'registry.db'), `${modules}`, `${releases}`, kind];
  const server = spawn(process.execPath, [script, ...place], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
  const [address = '', pin = ''] = line.split(' ');
  const policy = { registry: address, ...(pin && { trust: pin }) };
  const file = openForPoller(join(folder, 'machine.db'));
  return {
    file,
    policy,
    registry: (options) => registryAt(policy, options),
    publish: (module, version) => void server.stdin.write(`${module} ${version}\n`),
    close: () => {
      file.close();
      server.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

function registryAt(policy: Site['policy'], options: OpenRegistriesOptions): CachedRegistry {
  const registry = openRegistries(options).open(policy);
  if (!registry.ok) throw registry.error;
  return registry.value;
}

/** A machine with `count` modules of the constraint `1.*`; `version` was reported as deployed at `at`. */
export function machineOf(
  file: ClaimedFile,
  count: number,
  { version, at }: { readonly version: string; readonly at: number },
): Pick<PollerOptions, 'configuration' | 'platform' | 'file'> {
  const { state } = file as WholeFile;
  const modules = moduleEntries(count);
  for (const { name, module_id: text } of modules) {
    state.report({ kind: 'module', name, moduleId: moduleId(text) }, version, at);
  }
  const read = readMachine(JSON.stringify({ modules }));
  if (!read.ok) throw new Error('the machine config has errors');
  const terms = { ...DEFAULT_POLICY.terms, restartCooldownMs: 0, restartCeiling: 1440 };
  const configured = { machine: read.value, policy: { ...DEFAULT_POLICY, terms } };
  return { file, configuration: () => configured, platform: 'linux/arm64' };
}

/** The entries of `count` modules in a machine config. */
export function moduleEntries(
  count: number,
): readonly Readonly<Record<'type' | 'name' | 'module_id' | 'version', string>>[] {
  return Array.from({ length: count }, (_, place) => ({
    type: 'registry',
    name: `bench_m${place}`,
    module_id: `bench:m${place}`,
    version: '1.*',
  }));
}

/** The heap after garbage collection, in MiB. */
export function heapInUse(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
