import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { platformHome } from '../config/platform-home.ts';
import type { World } from '../base/world.ts';

/** In the home: the last documents of this machine that had no errors. */
export const KEPT_DOCUMENTS = 'machine.db.documents';
/** The file of the Debian package, and of `modreg join`. */
const SYSTEM_CONFIG = '/etc/modreg/machine.json';
const OWN_CONFIG = 'machine.json';

/** The paths of the documents of a machine. */
interface DocumentPaths {
  readonly machine: string;
  /** Undefined for the policy beside the machine config. */
  readonly policy?: string;
}

/** The machine config of a command whose argument is `named`, and its options with the policy that belongs to it (D290). */
export function withDocuments<O extends { readonly policy?: string }>(
  named: string | undefined,
  options: O,
  world: Pick<World, 'environment'>,
): readonly [machine: string, options: O] {
  if (named !== undefined) return [named, options];
  const { machine, policy } = knownDocuments(world) ?? { machine: OWN_CONFIG };
  return [machine, policy === undefined ? options : { policy, ...options }];
}

/** The machine config alone. */
export function machinePath(named: string | undefined, world: Pick<World, 'environment'>): string {
  return withDocuments(named, {}, world)[0];
}

/** The documents that the agent or the poller with this home used last, else the machine config of the system or of the working directory that exists. */
export function knownDocuments({
  environment,
}: Pick<World, 'environment'>): DocumentPaths | undefined {
  const used = usedDocuments(platformHome(environment));
  if (used) return used;
  const machine = [SYSTEM_CONFIG, OWN_CONFIG].find((path) => existsSync(path));
  return machine === undefined ? undefined : { machine };
}

/** The documents that the agent or the poller with this home used last; undefined if the home has no such file that this user may read. */
export function usedDocuments(home: string | undefined): DocumentPaths | undefined {
  if (home === undefined) return undefined;
  try {
    const kept = JSON.parse(readFileSync(join(home, KEPT_DOCUMENTS), 'utf8')) as Kept | null;
    const machine = kept?.machine?.path;
    const policy = kept?.policy?.path;
    if (typeof machine !== 'string') return undefined;
    return typeof policy === 'string' ? { machine, policy } : { machine };
  } catch {
    return undefined;
  }
}

interface Kept {
  readonly machine?: { readonly path?: unknown } | null;
  readonly policy?: { readonly path?: unknown } | null;
}
