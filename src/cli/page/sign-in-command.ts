import { DatabaseError } from '../../sqlite/database-error.ts';
import { failed, type Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { openAccess } from './page-access.ts';
import { stateProblem } from '../../host/open-state.ts';
import { addressIn, neverRan } from './page-address.ts';
import { machinePage, type PageIdentity } from './page-identity.ts';
import { codeNote, shownAddress } from './shown-address.ts';

/** `modreg page sign-in`: a new code for the page of this machine, which may be started by the next connection only. */
export function signInCommand(options: { readonly json?: true }, world: World): Outcome {
  const identity = machinePage(world);
  return identity.ok ? newCodeFor(identity.value, options, world) : failed(identity.error);
}

/** An address with a new code for a page. */
export function newCodeFor(
  identity: PageIdentity,
  options: { readonly json?: true },
  world: World,
): Outcome {
  const file = openAccess(identity, world);
  if (!file.ok) return failed(file.error);
  try {
    const { address, hasRun } = addressIn(file.value, identity);
    const code = file.value.newCode(world.clock());
    const shown = shownAddress({ address, code }, identity, options, world);
    if (!shown.ok) return failed(shown.error);
    const notes = [codeNote(identity), ...(hasRun ? [] : [neverRan(identity)])];
    return { answer: [shown.value], notes: options.json ? [] : notes, problems: [] };
  } catch (error) {
    if (error instanceof DatabaseError) return failed(stateProblem(error));
    throw error;
  } finally {
    file.value.close();
  }
}
