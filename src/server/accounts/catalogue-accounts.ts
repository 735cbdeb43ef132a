import type { Statements } from '../../sqlite/statements.ts';
import {
  accountNamed,
  accountsIn,
  confirmAccount,
  removeAccount,
  setAccount,
  type Account,
  type AccountChange,
} from './account-table.ts';
import { isPassword } from './password.ts';
import type { Role } from './role.ts';

/** Who signed in with an account, and as which of its states. */
export interface SignedInAccount {
  readonly name: string;
  readonly stamp: string;
}

/** The accounts with which people sign in to the page of a site (D370). */
export interface CatalogueAccounts {
  /** All of them, by name. */
  readonly all: () => readonly Account[];
  readonly set: (change: AccountChange, now: number) => ReturnType<typeof setAccount>;
  readonly confirm: (name: string) => ReturnType<typeof confirmAccount>;
  readonly remove: (name: string) => boolean;
  /** The account with this name and this password, if it opens the page. It takes as long if there is none (T775). */
  readonly withPassword: (name: string, password: string) => Promise<SignedInAccount | undefined>;
  /** What the account may do; undefined if it was changed or removed since, or opens nothing (T774). */
  readonly roleOf: (account: SignedInAccount) => Role | undefined;
}

/** `change` runs its argument in a transaction. */
export function catalogueAccounts(
  sql: Statements,
  change: <T>(work: () => T) => T,
): CatalogueAccounts {
  const roleOf = ({ name, stamp }: SignedInAccount): Role | undefined => {
    const found = accountNamed(sql, name);
    return found?.isConfirmed === true && found.stamp === stamp ? found.role : undefined;
  };
  return {
    all: () => accountsIn(sql),
    set: (wanted, now) => change(() => setAccount(sql, wanted, now)),
    confirm: (name) => change(() => confirmAccount(sql, name)),
    remove: (name) => change(() => removeAccount(sql, name)),
    async withPassword(name, password) {
      const found = accountNamed(sql, name);
      const isRight = await isPassword(password, found?.password);
      if (!found || !isRight) return undefined;
      const account = { name: found.name, stamp: found.stamp };
      return roleOf(account) === undefined ? undefined : account;
    },
    roleOf,
  };
}
