import { formatTime } from '../../core/text/rfc3339.ts';
import type { Outcome } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import type { Account } from '../../server/accounts/account-table.ts';
import type { Role } from '../../server/accounts/role.ts';
import { confirmAccount, listAccounts, removeAccount, setAccount } from '../../site/accounts.ts';
import type { CatalogueOptions } from '../../site/catalogue-options.ts';
import { jsonLine } from '../base/answer-json.ts';
import { columnsOf } from '../base/columns.ts';
import { operatorIn } from '../base/operator.ts';
import { outcomeOf, type AnswerOptions } from '../base/outcome.ts';

type Options = CatalogueOptions & AnswerOptions;

export interface SetAccountOptions extends CatalogueOptions, AnswerOptions {
  readonly role?: Role;
  readonly passwordFile?: string;
}

/** `modreg registry account set <name>`: adds an account of the page of the site, or changes its role or its password. */
export async function accountSetCommand(
  name: string,
  options: SetAccountOptions,
  world: World,
): Promise<Outcome> {
  const { role, passwordFile } = options;
  const done = await setAccount(
    { name, role, passwordFile, by: operatorIn(world) },
    options,
    world,
  );
  return outcomeOf(done, ({ account, isNew }) => {
    if (options.json) return { answer: [accountLine(account)] };
    const what = isNew ? 'was added' : 'was changed, and its sessions ended';
    const notes = account.isConfirmed ? [] : [`note: it ${UNCONFIRMED} ${name}`];
    return { answer: [`${name} (${account.role}) ${what}`], notes };
  });
}

/** `modreg registry account list`: shows who may do what on the page of the site. */
export function accountListCommand(options: Options, world: World): Outcome {
  return outcomeOf(listAccounts(options, world), (accounts) => {
    if (options.json) {
      const list = accounts.map(asJson);
      return { answer: [jsonLine({ schema: 'modreg/registry-accounts@1', accounts: list })] };
    }
    if (accounts.length === 0) return { answer: ['no accounts'] };
    const cells = accounts.map((account) => [
      account.name,
      account.role ?? 'unknown',
      formatTime(account.changedAt),
      stateOf(account),
    ]);
    const linesOf = columnsOf(HEADS, cells, world.columns);
    return { answer: [...linesOf(HEADS), ...cells.flatMap(linesOf)] };
  });
}

/** `modreg registry account confirm <name>`: after a restore, the account signs in again. */
export function accountConfirmCommand(name: string, options: Options, world: World): Outcome {
  return outcomeOf(
    confirmAccount({ name, by: operatorIn(world) }, options, world),
    ({ account, isNew }) => {
      const line = `${name} (${account.role}) signs in ${isNew ? 'again' : 'already'}`;
      return { answer: [options.json ? accountLine(account) : line] };
    },
  );
}

/** `modreg registry account remove <name>`: the account and its sessions end. */
export function accountRemoveCommand(name: string, options: Options, world: World): Outcome {
  return outcomeOf(removeAccount({ name, by: operatorIn(world) }, options, world), () => ({
    answer: [
      options.json
        ? jsonLine({ schema: 'modreg/registry-account-remove@1', name })
        : `${name} was removed, and its sessions ended`,
    ],
  }));
}

const UNCONFIRMED = 'signs in only after modreg registry account confirm';
const HEADS = ['NAME', 'ROLE', 'CHANGED', 'STATE'];

function accountLine(account: Account): string {
  return jsonLine({ schema: 'modreg/registry-account@1', ...asJson(account) });
}

function asJson(account: Account): object {
  const { name, role, changedAt } = account;
  return { name, role: role ?? null, changed_at: formatTime(changedAt), state: stateOf(account) };
}

function stateOf({ isConfirmed }: Account): 'active' | 'unconfirmed' {
  return isConfirmed ? 'active' : 'unconfirmed';
}
