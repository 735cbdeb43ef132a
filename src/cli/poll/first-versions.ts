import type { ActionTarget } from '../../core/index.ts';
import { deployedText } from '../../core/decision/deployed.ts';
import { targetsOf } from '../../core/plan/configuration.ts';
import { nearestWord } from '../../core/text/nearest-word.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import type { ClaimedFile } from '../../store/index.ts';
import { lostMemory } from '../../store/lost-memory.ts';
import type { PlanDocuments } from '../../host/plan-documents.ts';
import type { PollReport } from './poll-report.ts';

/** The value of `--deployed` on a machine on which nothing is deployed yet. */
export const NONE = 'none';

/** Names in the file of `--deployed` that the machine config does not have: what they say is used for nothing. */
export function unknownNames({ machine, policy, deployed }: PlanDocuments): string[] {
  const known = new Set(targetsOf({ machine, policy }).map(({ name }) => name));
  return [...(deployed?.keys() ?? [])]
    .filter((name) => !known.has(name))
    .map((name) => {
      const nearest = nearestWord(name, known);
      const meant = nearest === undefined ? '' : `, did you mean ${excerpt(nearest)}?`;
      return `--deployed: the machine config has no module or subsystem ${quote(name)}${meant}; its version is not used`;
    });
}

/**
 * Returns the version of a module that the machine's file does not know. `--deployed` tells it once: what a program has
 * changed since is known better by the file, even if it does not know the version.
 */
export function firstVersions(
  file: ClaimedFile,
  {
    named,
    report,
    documents,
  }: {
    readonly named: string | undefined;
    readonly report: PollReport;
    readonly documents: () => PlanDocuments;
  },
): (target: ActionTarget) => string | null | undefined {
  const unknown = new Set<string>();
  const lost = named === NONE ? lostMemory(file) : undefined;
  return (target) => {
    const { kind, name } = target;
    const { failed: failure, previous, restarts } = file.state.memory().of(target);
    if (failure || previous || restarts.length > 0) return undefined;
    // What was lost may have known better (T100).
    if (named === NONE && kind === 'module' && lost === undefined) return null;
    const reported = documents().deployed?.get(name);
    if (reported?.kind === 'none') return null;
    const version = reported && deployedText(reported);
    if (version === undefined && kind === 'module' && !unknown.has(name)) {
      const next =
        lost === undefined
          ? `--deployed ${NONE} says that nothing is, --deployed <file> what is`
          : `--deployed <file> says what is; --deployed ${NONE} is not used, because ${lost} may have known it`;
      report.about(name, 'warn', `its deployed version is not known, so nothing is done; ${next}`);
      unknown.add(name);
    }
    return version;
  };
}
