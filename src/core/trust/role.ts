import { namespaceOf, type ModuleId } from '../releases/module-id.ts';

/** Who may sign something: so many of these keys. */
export interface Role {
  readonly threshold: number;
  /** `ed25519:` and the 32 bytes of each public key in base64. */
  readonly keys: readonly string[];
}

/** The roles of a trust document: who signs it, the lists, releases by namespace, and what people tell machines. */
export interface Roles {
  readonly root: Role;
  readonly registry?: Role | undefined;
  readonly operator?: Role | undefined;
  /** By namespace; `*` for those that are not named, except `platform`. */
  readonly namespaces: ReadonlyMap<string, Role>;
}

/** What runs as root on each machine. */
export const PLATFORM = 'platform';

/** What stands for all namespaces that have no role of their own. */
export const ALL_OTHERS = '*';

/** Who signs the releases of a module; undefined if nobody may. `*` does not cover the agent and the server (D131). */
export function roleOf(
  { namespaces }: Pick<Roles, 'namespaces'>,
  moduleId: ModuleId,
): Role | undefined {
  const namespace = namespaceOf(moduleId);
  return (
    namespaces.get(namespace) ?? (namespace === PLATFORM ? undefined : namespaces.get(ALL_OTHERS))
  );
}
