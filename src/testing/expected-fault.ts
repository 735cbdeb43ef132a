import {
  expectMembers,
  NUMBER,
  optional,
  wrongArgument,
  type Expected,
} from '../core/text/argument.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { quote } from '../core/text/quote.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import type { Fault } from './fault.ts';

/** What each kind of fault has besides its kind. */
const FAULTS: Readonly<Record<Fault['kind'], Readonly<Record<string, Expected>>>> = {
  status: { status: NUMBER, times: optional(NUMBER) },
  'retry-after': { seconds: NUMBER },
  torn: {},
  slow: { ms: NUMBER },
  offline: { times: optional(NUMBER) },
  'wrong-type': {},
};

/** Throws a TypeError for a fault that no compiler checked and that would not happen: a test would pass without it (D475). */
export function expectFaults(faults: readonly Fault[]): void {
  for (const [place, fault] of faults.entries()) {
    const as = `faults[${place}]`;
    expectMembers('break()', as, fault, {});
    const members = membersOf(as, fault.kind);
    expectSpelling('break()', as, fault, { kind: true, ...members });
    expectMembers('break()', as, fault, members);
  }
}

function membersOf(as: string, kind: unknown): Readonly<Record<string, Expected>> {
  const found = Object.entries(FAULTS).find(([known]) => known === kind);
  if (found) return found[1];
  const kinds = Object.keys(FAULTS);
  const meant = typeof kind === 'string' ? nearestWord(kind, kinds) : undefined;
  const hint = meant === undefined ? '' : `; did you mean ${quote(meant)} ?`;
  throw wrongArgument('break()', `${as}.kind`, kind, `${kinds.join(', ')}${hint}`);
}
