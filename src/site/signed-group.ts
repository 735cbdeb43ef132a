import type { Result } from '../core/index.ts';
import type { CommandKind } from '../core/trust/command-text.ts';
import type { Problem } from '../base/problem.ts';
import type { CommandClient } from '../registry/command-client.ts';
import { NOT_ASKING, type GivenToGroup } from '../registry/command-documents.ts';
import { RegistryError } from '../registry/registry-error.ts';
import { commandResult } from './command-result.ts';
import type { CommandSigning, SignedBy, SignedToGive } from './signed-command.ts';

/** What each machine of a group is to do, and who signs it. */
interface ToSign extends CommandSigning {
  readonly group: string;
  readonly kind: CommandKind;
}

type SignedGroup = GivenToGroup & { readonly signed: SignedBy | undefined };

/** Gives each machine of a group that asks for commands one that is signed for it (D405). All are signed before the first is given. */
export async function giveSignedToGroup(
  client: Pick<CommandClient, 'give' | 'listOfGroup'>,
  { group, kind, expiresAt, sign }: ToSign,
): Promise<Result<SignedGroup, Problem>> {
  const listed = commandResult(await client.listOfGroup(group));
  if (!listed.ok) return listed;
  const { asking, others } = listed.value.machines ?? {};
  if (!asking || !others) return { ok: false, error: EARLIER };
  const signed: ForMachine[] = [];
  for (const machine of asking) {
    const one = sign(machine);
    if (!one.ok) return one;
    signed.push({ machine, one: one.value });
  }
  const outcome = await givenInTurn(client, signed);
  return {
    ok: true,
    value: {
      group,
      kind,
      expires_at: expiresAt,
      given: outcome.given,
      refused: [...outcome.refused, ...others.map((machine) => ({ machine, detail: NOT_ASKING }))],
      signed: signed[0]?.one.signed,
    },
  };
}

const EARLIER: Problem = {
  severity: 'error',
  kind: 'registry-refused',
  message:
    'the modreg of the registry is an earlier one, which does not name the machines of a group: nothing was given',
  hint: 'sign for each of them, with --machine and --key',
};

interface ForMachine {
  readonly machine: string;
  readonly one: SignedToGive;
}

const NOT_TRIED =
  'it was not tried, because the registry failed before: give it to this machine alone, with --machine';

/** One after another. The first that the registry does not answer ends it, unless it is the first of all, whose error is the answer. */
async function givenInTurn(
  client: Pick<CommandClient, 'give'>,
  commands: readonly ForMachine[],
): Promise<Pick<GivenToGroup, 'given' | 'refused'>> {
  const given: GivenToGroup['given'] = [];
  const refused: GivenToGroup['refused'] = [];
  for (const [place, { machine, one }] of commands.entries()) {
    try {
      const answer = commandResult(await client.give(machine, one.command), machine);
      if (answer.ok) given.push({ machine, number: answer.value.number });
      else refused.push({ machine, detail: answer.error.message });
    } catch (error) {
      if (!(error instanceof RegistryError) || place === 0) throw error;
      refused.push({ machine, detail: `it may have it: ${error.message}` });
      const left = commands.slice(place + 1);
      refused.push(...left.map((rest) => ({ machine: rest.machine, detail: NOT_TRIED })));
      break;
    }
  }
  return { given, refused };
}
