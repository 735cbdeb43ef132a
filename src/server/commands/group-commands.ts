import { NOT_ASKING } from '../../registry/command-documents.ts';
import type { CatalogueCommands } from './catalogue-commands.ts';
import type { CommandWish, GiveResult } from './command-table.ts';
import { unsignedFault } from './unsigned-fault.ts';

/** A machine of a group, and whether its policy names a trust document, as it reported. */
interface Member {
  readonly machine: string;
  readonly isPinned: boolean;
}

/** Which machines of a group have a command, and which cannot be commanded, and why. */
export interface GroupOutcome {
  readonly given: readonly {
    readonly machine: string;
    readonly number: number;
    /** False for the repetition of a request. */
    readonly isNew: boolean;
  }[];
  readonly refused: { readonly machine: string; readonly detail: string }[];
}

/** Gives all machines the same command. One result for each. */
type GiveAll = (
  wish: Omit<CommandWish, 'machine'>,
  machines: readonly string[],
) => Promise<readonly GiveResult[]>;

/** So many machines share a transaction, in which nothing else is answered. */
const AT_ONCE = 100;

/** Gives each machine a command with a number of its own (D327). Other requests are answered in between. */
export async function giveToMembers(
  commands: Pick<CatalogueCommands, 'hasAsked'> & { readonly giveAll: GiveAll },
  members: readonly Member[],
  wish: Omit<CommandWish, 'machine'>,
): Promise<GroupOutcome> {
  const given: GroupOutcome['given'][number][] = [];
  const refused: GroupOutcome['refused'] = [];
  for (let from = 0; from < members.length; from += AT_ONCE) {
    const some = members.slice(from, from + AT_ONCE);
    const able: string[] = [];
    for (const { machine, isPinned } of some) {
      const detail = commands.hasAsked(machine) ? unsignedFault(isPinned, wish) : NOT_ASKING;
      if (detail === undefined) able.push(machine);
      else refused.push({ machine, detail });
    }
    for (const one of able.length > 0 ? await commands.giveAll(wish, able) : []) {
      if (one.kind !== 'full') given.push(givenIn(one));
      else refused.push({ machine: one.machine, detail: `${one.waiting} commands wait already` });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { given, refused };
}

function givenIn({
  kind,
  command: { machine, number },
}: GiveResult & { readonly kind: 'given' | 'repeated' }): GroupOutcome['given'][number] {
  return { machine, number, isNew: kind === 'given' };
}
