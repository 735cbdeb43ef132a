import { DEFAULT_POLICY } from '../core/machine/update-policy.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import { expectArgument, optional } from '../core/text/argument.ts';
import type { DocumentProblem } from './document-problem.ts';
import { readMachine, readUpdatePolicy, SOURCE, type DocumentResult } from './read-document.ts';

/**
 * The configuration that a `Poller` or an `Agent` asks for, from the text or bytes of a machine config and of an update policy; without
 * one, `DEFAULT_POLICY` applies. An unknown field does not throw: it holds every replacement, as in modreg's own agent (D342). Throws a RangeError
 * that names every error with its document, line and column; its `cause` is these `DocumentProblem`s. A poller then keeps the
 * configuration before.
 *
 * @example
 * ```ts
 * import { configurationFrom } from 'modreg/config';
 * import { readFileSync } from 'node:fs';
 *
 * const { machine, policy } = configurationFrom(readFileSync('machine.json'), readFileSync('policy.json'));
 * console.log(machine.modules.length, policy.terms.registry);
 * ```
 */
export function configurationFrom(
  machine: string | Uint8Array,
  policy?: string | Uint8Array,
): Configuration {
  expectArgument('configurationFrom()', 'machine', machine, SOURCE);
  expectArgument('configurationFrom()', 'policy', policy, optional(SOURCE));
  const terms =
    policy === undefined ? DEFAULT : readUpdatePolicy(policy, { unknownFields: 'warn' });
  const readAs = terms.ok ? terms.value : 'unreadable';
  const read = readMachine(machine, { policy: readAs, unknownFields: 'warn' });
  if (read.ok && terms.ok) return { machine: read.value, policy: terms.value };
  const found = [...errorsIn('machine config', read), ...errorsIn('update policy', terms)];
  const cause = found.map(({ problem }) => problem);
  throw new RangeError(found.map(({ line }) => line).join('\n'), { cause });
}

const DEFAULT = { ok: true, value: DEFAULT_POLICY, problems: [] } as const;

function errorsIn(
  name: string,
  { problems }: Pick<DocumentResult<unknown>, 'problems'>,
): { readonly line: string; readonly problem: DocumentProblem }[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map((problem) => {
      const { line, column, message } = problem;
      return { line: `${name}:${line}:${column}: ${message}`, problem };
    });
}
