import type { Result } from '../../core/index.ts';
import type { Veto } from '../../core/decision/timing-policies.ts';
import { excerpt, quote } from '../../core/text/quote.ts';
import { usage, type Problem } from '../../base/problem.ts';
import { shellWord } from '../../base/shell-word.ts';
import { faultsIn, LONGEST_NAME, LONGEST_REASON } from './hold-wish.ts';

/** A replacement at once, as an operator asks for it (D76). */
export interface UpgradeWish {
  /** The name of an entry or a subsystem, or a module_id. */
  readonly named: string;
  /** What the modules said that the operator saw, each in its words, or the name of one that gave no reason. */
  readonly despite: readonly string[];
  readonly reason: string | undefined;
  /** Who asks. */
  readonly by: string;
  /** What the operator saw; absent if a program asks that did not look. */
  readonly seen?: { readonly deployed?: string | undefined; readonly to?: string | undefined };
}

/** As of what an agent records of a veto. */
const LONGEST_VETO = 1100;

/** What is wrong with the words of a wish (D76). */
export function faultsOf({ despite, reason, by }: UpgradeWish): Problem[] {
  return [
    ...faultsIn('the name of the operator', by, LONGEST_NAME),
    ...(reason === undefined ? [] : faultsIn('the reason', reason, LONGEST_REASON)),
    ...despite.flatMap((text) => faultsIn('the veto', text, LONGEST_VETO)),
  ];
}

/** The text by which an operator names a veto. */
export function nameOf({ by, said }: Pick<Veto, 'by' | 'said'>): string {
  return said ?? by;
}

/** The vetoes that `despite` names, or why nothing is begun: each one must be named, and each name must be that of one (D76). */
export function namedVetoes(
  vetoes: readonly Veto[],
  despite: readonly string[],
  command: string,
): Result<readonly Pick<Veto, 'by' | 'said'>[], Problem[]> {
  const unknown = despite.filter((text) => !vetoes.some((veto) => isNamedBy(veto, text)));
  const unnamed = vetoes.filter((veto) => !despite.some((text) => isNamedBy(veto, text)));
  const named = vetoes.map(({ by, said }) => ({ by, said }));
  const hint = [command, ...vetoes.map((veto) => `--despite ${shellWord(nameOf(veto))}`)].join(' ');
  const known =
    vetoes.length === 0
      ? 'no module that would stop was found to forbid it'
      : `the vetoes are ${vetoes.map((veto) => quote(nameOf(veto))).join(', ')}`;
  const problems = [
    ...unknown.map((text) =>
      usage(`${quote(text)} is no veto: ${known}; nothing was changed`, `type ${hint}`),
    ),
    ...unnamed.map(({ by, said }): Problem => {
      const why = said === undefined ? '' : `: ${excerpt(said)}`;
      const message = `${excerpt(by)} must not be stopped now${why}; nothing was changed`;
      return { severity: 'error', kind: 'held', message, hint: `to stop it nevertheless: ${hint}` };
    }),
  ];
  return problems.length === 0 ? { ok: true, value: named } : { ok: false, error: problems };
}

/** Long reasons are shown cut. */
function isNamedBy(veto: Veto, text: string): boolean {
  const name = nameOf(veto);
  return text === name || text === excerpt(name);
}
