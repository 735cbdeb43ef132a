import type { Result } from '../../core/index.ts';
import { loopbackName } from '../../page/access/host-names.ts';
import type { PageFile } from '../../page/access/page-file.ts';
import { DatabaseError } from '../../sqlite/database-error.ts';
import { stateProblem } from '../../host/open-state.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { openAccess } from './page-access.ts';
import type { PageIdentity } from './page-identity.ts';

/** Where a page is. */
export interface PageAddress {
  readonly address: string;
  /** If not, it is where the page listens unless its options say otherwise. */
  readonly hasRun: boolean;
}

/** Where the page with this file is. Throws a `DatabaseError`. */
export function addressIn(file: PageFile, { port }: PageIdentity): PageAddress {
  const known = file.address();
  const address = known ?? `http://${loopbackName(file.label)}:${port}`;
  return { address, hasRun: known !== undefined };
}

/** Where a page is, from its file. */
export function pageAddress(identity: PageIdentity, world: World): Result<PageAddress, Problem> {
  const file = openAccess(identity, world);
  if (!file.ok) return file;
  try {
    return { ok: true, value: addressIn(file.value, identity) };
  } catch (error) {
    if (error instanceof DatabaseError) return { ok: false, error: stateProblem(error) };
    throw error;
  } finally {
    file.value.close();
  }
}

/** The first connection may start it, so this is no error. */
export function neverRan({ naming: { command } }: PageIdentity): string {
  return `note: the page has not run here yet; ${command} --help shows how to start it`;
}
