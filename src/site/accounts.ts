import type { Result } from '../core/index.ts';
import { nearestWord } from '../core/text/nearest-word.ts';
import { quote } from '../core/text/quote.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { LARGEST_INPUT, secretText, typedBytes } from '../host/typed-secret.ts';
import { isAccountName, type Account } from '../server/accounts/account-table.ts';
import { passwordFault, storedPassword } from '../server/accounts/password.ts';
import type { Role } from '../server/accounts/role.ts';
import type { Catalogue } from '../server/index.ts';
import { fileOption, withCatalogue, type CatalogueOptions } from './catalogue-options.ts';
import { utf8Text } from './utf8-text.ts';

/** What an account of the page is to have. What is undefined stays. */
export interface AccountWish {
  readonly name: string;
  readonly role: Role | undefined;
  /** The file of its password; `-` is stdin. */
  readonly passwordFile: string | undefined;
  /** Who wishes it. */
  readonly by: string;
}

/** An account, and who changes it. */
type ChangedBy = Pick<AccountWish, 'name' | 'by'>;

/** An account as it is after a change. */
export interface ChangedAccount {
  readonly account: Account;
  readonly isNew: boolean;
}

/** Adds an account, or changes its role or its password, which ends its sessions (D370). */
export async function setAccount(
  wish: AccountWish,
  options: CatalogueOptions,
  world: World,
): Promise<Result<ChangedAccount, Problem>> {
  const fault = faultIn(wish);
  if (fault !== undefined) return wrong(fault);
  const password = await passwordIn(wish.passwordFile);
  if (!password.ok) return password;
  const change = { name: wish.name, role: wish.role, password: password.value };
  return changed(options, world, (catalogue) => {
    const result = catalogue.accounts.set(change, world.clock());
    if (result === 'incomplete') {
      return wrong(`${quote(wish.name)} ${INCOMPLETE}`);
    }
    note(catalogue, 'account-set', wish, world);
    return accountOf(catalogue, wish.name, { isNew: result === 'added', options });
  });
}

/** All accounts, by name. */
export function listAccounts(
  options: CatalogueOptions,
  world: World,
): Result<readonly Account[], Problem> {
  return withCatalogue(options, world, { mode: 'read' }, (catalogue) => ({
    ok: true,
    value: catalogue.accounts.all(),
  }));
}

/** Lets an account sign in again after a restore (D374). `isNew` is false if it could already. */
export function confirmAccount(
  { name, by }: ChangedBy,
  options: CatalogueOptions,
  world: World,
): Result<ChangedAccount, Problem> {
  return changed(options, world, (catalogue) => {
    const isNew = catalogue.accounts.confirm(name) === 'done';
    if (isNew) note(catalogue, 'account-confirmed', { name, by }, world);
    return accountOf(catalogue, name, { isNew, options });
  });
}

/** Removes an account and ends its sessions. */
export function removeAccount(
  { name, by }: ChangedBy,
  options: CatalogueOptions,
  world: World,
): Result<string, Problem> {
  return changed(options, world, (catalogue) => {
    if (!catalogue.accounts.remove(name)) return unknown(name, catalogue, options);
    note(catalogue, 'account-removed', { name, by }, world);
    return { ok: true, value: name };
  });
}

/** For the page of changes (D443). */
function note(
  { configs }: Catalogue,
  kind: 'account-set' | 'account-confirmed' | 'account-removed',
  { name, by: author }: ChangedBy,
  world: World,
): void {
  configs.note({ kind, name, author, at: world.clock() });
}

/** The result of a change, which a front of a cluster refuses (T777). */
function changed<T>(
  options: CatalogueOptions,
  world: World,
  work: (catalogue: Catalogue) => Result<T, Problem>,
): Result<T, Problem> {
  return withCatalogue(options, world, { mode: 'write' }, (catalogue) => {
    if (!catalogue.log.isOfFront()) return work(catalogue);
    const message = 'a front of a cluster has no accounts yet; nothing was changed';
    const hint = `people sign in to its page with codes: modreg registry page sign-in${fileOption(options)}`;
    return { ok: false, error: { severity: 'error', kind: 'registry-refused', message, hint } };
  });
}

function accountOf(
  catalogue: Catalogue,
  name: string,
  { isNew, options }: { readonly isNew: boolean; readonly options: CatalogueOptions },
): Result<ChangedAccount, Problem> {
  const account = catalogue.accounts.all().find((one) => one.name === name);
  return account ? { ok: true, value: { account, isNew } } : unknown(name, catalogue, options);
}

function unknown(
  name: string,
  catalogue: Pick<Catalogue, 'accounts'>,
  options: CatalogueOptions,
): { readonly ok: false; readonly error: Problem } {
  const names = catalogue.accounts.all().map((one) => one.name);
  const suggestion = nearestWord(name, names);
  const message = `there is no account ${quote(name)}; nothing was changed`;
  const hint = `modreg registry account list${fileOption(options)} shows them`;
  return {
    ok: false,
    error: { severity: 'error', kind: 'unknown-reference', message, suggestion, hint },
  };
}

function faultIn({ name, role, passwordFile }: AccountWish): string | undefined {
  if (!isAccountName(name)) return `${quote(name)} ${NO_NAME}`;
  if (role !== undefined || passwordFile !== undefined) return undefined;
  return 'neither --role nor --password-file says what to change';
}

function wrong(message: string): { readonly ok: false; readonly error: Problem } {
  return { ok: false, error: usage(`${message}; nothing was saved`) };
}

const INCOMPLETE =
  'is a new account, or has a role that this modreg does not know: pass --role and --password-file';

const NO_NAME =
  'is not the name of an account, expected up to 63 of a-z, digits, ".", "_", "@" and "-", beginning with a letter or a digit';

async function passwordIn(path: string | undefined): Promise<Result<string | undefined, Problem>> {
  if (path === undefined) return { ok: true, value: undefined };
  const typed = typedBytes(path);
  if (!typed.ok) return typed;
  const password = secretText(typed.value);
  const fault = unreadable(typed.value) ?? linesFault(password) ?? passwordFault(password);
  if (fault !== undefined) return wrong(fault);
  return { ok: true, value: await storedPassword(password) };
}

/** Editors write it before a text, and no form sends it. */
const BOM = Buffer.of(0xef, 0xbb, 0xbf);

/** Why the bytes are not the whole text of a file; undefined if they are. */
function unreadable(bytes: Buffer): string | undefined {
  if (bytes.length > LARGEST_INPUT) {
    return `the password has more than ${LARGEST_INPUT} bytes, expected one line`;
  }
  if (bytes.subarray(0, BOM.length).equals(BOM)) {
    return 'the password begins with a byte order mark (EF BB BF), expected UTF-8 without one';
  }
  if (utf8Text(bytes) !== undefined) return undefined;
  return 'the password has bytes that are not UTF-8, expected UTF-8';
}

/** A form takes one line, so that a password of several would open nothing. */
function linesFault(password: string): string | undefined {
  const { length } = password.split(/\r\n|\r|\n/);
  return length === 1 ? undefined : `the password has ${length} lines, expected one`;
}
