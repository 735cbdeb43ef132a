import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { isSecretName } from '../core/trust/secret-name.ts';
import { usage, type Problem } from '../base/problem.ts';
import { shellWord } from '../base/shell-word.ts';
import type { World } from '../base/world.ts';
import { STDIN } from '../host/document-file.ts';
import { typedSecret } from '../host/typed-secret.ts';
import type { ConfigRefusal } from '../registry/config-client.ts';
import { secretClient } from '../registry/secret-client.ts';
import type { SavedSecret, SecretList } from '../registry/secret-documents.ts';
import { configResult, withMachine, type ConfigOptions } from './config-options.ts';

const SERVING = { open: secretClient, what: 'keeps secrets of machines' };

type ValueOptions = ConfigOptions & { readonly valueFile?: string };

type Found<T> = Promise<Result<T, Problem>>;

/** What has a value, and what the newest documents of a machine name. */
export async function secretsOfMachine(options: ConfigOptions, world: World): Found<SecretList> {
  return await withMachine(options, world, SERVING, async ({ machine, client }) =>
    secretResult(await client.list(machine), machine),
  );
}

/** Sets the value of a name: the text of stdin, or of a file (D362). */
export async function setSecret(
  name: string,
  options: ValueOptions,
  world: World,
): Found<SavedSecret> {
  const wrong = wrongName(name);
  if (wrong) return { ok: false, error: wrong };
  const value = valueIn(name, options);
  if (!value.ok) return value;
  return await withMachine(options, world, SERVING, async ({ machine, client }) =>
    secretResult(await client.set(machine, name, value.value), machine),
  );
}

/** Removes the value of a name. */
export async function removeSecret(
  name: string,
  options: ConfigOptions,
  world: World,
): Found<SavedSecret> {
  const wrong = wrongName(name);
  if (wrong) return { ok: false, error: wrong };
  return await withMachine(options, world, SERVING, async ({ machine, client }) =>
    secretResult(await client.remove(machine, name), machine),
  );
}

/** The text of stdin or of a file that only its owner can read. */
function valueIn(
  name: string,
  { valueFile: path, machine = 'MACHINE' }: ValueOptions,
): Result<string, Problem> {
  const value = typedSecret(path ?? STDIN);
  if (!value.ok || value.value !== '') return value;
  const hint = `modreg fleet config secret set ${name} --machine ${shellWord(machine)} < value.txt`;
  const where = path === undefined ? 'stdin' : '--value-file';
  return { ok: false, error: usage(`${where} has no value; nothing was saved`, hint) };
}

function wrongName(name: string): Problem | undefined {
  if (isSecretName(name)) return undefined;
  return usage(
    `${quote(name)} is not the name of a secret, which is up to 64 letters, digits and "_", beginning with a letter`,
  );
}

/** What the registry did, or why it did not, with a hint about secrets. */
function secretResult<T>(result: Result<T, ConfigRefusal>, machine: string): Result<T, Problem> {
  const found = configResult(result);
  if (result.ok || found.ok || result.error.kind !== 'unknown-config') return found;
  const hint = `modreg fleet config secret list --machine ${machine} shows what the documents name`;
  return { ok: false, error: { ...found.error, hint } };
}
