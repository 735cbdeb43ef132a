import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import { usage, type Problem } from '../base/problem.ts';
import type { World } from '../base/world.ts';
import { secretIn } from '../host/secret-file.ts';

/** How a private key is unlocked. */
export interface PassphraseOptions {
  /** A file with the passphrase of the keys of people. */
  readonly passphraseFile?: string;
}

const VARIABLE = 'MODREG_KEY_PASSPHRASE';

/** The passphrase that the options name, else that of the environment; undefined if neither does. */
export function passphraseOf(
  { passphraseFile: path }: PassphraseOptions,
  { environment }: World,
): Result<string | undefined, Problem> {
  if (path === undefined) return { ok: true, value: environment[VARIABLE] || undefined };
  const file = secretIn(path);
  if (!file.ok) return file;
  const value = file.value.toString().replace(/\r?\n$/, '');
  if (value !== '') return { ok: true, value };
  return { ok: false, error: usage(`the file ${quote(path)} has no passphrase`) };
}
