import type { Command } from 'commander';
import { shellWord } from '../../base/shell-word.ts';
import type { Outcome } from '../../base/problem.ts';
import { parseRegistryAddress } from '../../registry/address.ts';

/** A command in a sentence: `modreg rollout status`, and words that may follow it. */
const COMMAND = /\bmodreg((?: [a-z][a-z-]*)+)/g;
/** Up to the end of a clause, a command that names a registry already, or needs none. */
const NEEDS_NONE = /^[^;,]*--(?:registry|db|help)\b/;
/** It contacts a registry only with this option, so with it the copied command would be another one. */
const CHECK = 'check';

/**
 * `outcome` with the registry that was typed in each command that a note or a hint names, as far as the command takes one: a person who copies
 * the command then reaches the same registry (D448). `modreg` has all commands.
 */
export function withTypedRegistry(outcome: Outcome, registry: string, modreg: Command): Outcome {
  // Other text may have a password in it, which is not repeated.
  if (!parseRegistryAddress(registry).ok) return outcome;
  const named = (text: string): string =>
    text.replaceAll(COMMAND, (whole: string, words: string, at: number) => {
      const path = pathOf(words.trim().split(' '), modreg);
      if (path === undefined || NEEDS_NONE.test(text.slice(at))) return whole;
      return `${path} --registry ${shellWord(registry)}${whole.slice(path.length)}`;
    });
  return {
    ...outcome,
    notes: outcome.notes.map(named),
    problems: outcome.problems.map((one) => ({ ...one, hint: one.hint && named(one.hint) })),
  };
}

/** The command that the first of these words name; undefined if it takes no registry. */
function pathOf(words: readonly string[], modreg: Command): string | undefined {
  let command = modreg;
  const path = ['modreg'];
  for (const word of words) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) break;
    command = next;
    path.push(word);
  }
  const takesOne = command.options.some(({ long }) => long === '--registry');
  return takesOne && command.name() !== CHECK ? path.join(' ') : undefined;
}
