import type { Result } from '../../core/index.ts';
import { unwritableWords } from '../../core/text/file-words.ts';
import { quote } from '../../core/text/quote.ts';
import { CODE_MS } from '../../page/access/sign-in-codes.ts';
import { describeDuration } from '../../core/text/duration.ts';
import { jsonLine } from '../base/answer-json.ts';
import type { Problem } from '../../base/problem.ts';
import type { World } from '../../base/world.ts';
import { replaceFile } from '../../files/replace-file.ts';
import type { PageIdentity } from './page-identity.ts';

const PRIVATE_MODE = 0o600;

/**
 * The line that tells a person where to sign in. The address with its code is shown on a terminal only. Elsewhere, such as in a
 * journal, others may read what is printed: then it is in a file of this user, and the line names the file.
 */
export function shownAddress(
  { address, code }: { readonly address: string; readonly code: string },
  { addressFile: path, schema }: PageIdentity,
  { json }: { readonly json?: true },
  { isAnswerShown }: World,
): Result<string, Problem> {
  const secret = `${address}/#code=${code}`;
  if (isAnswerShown && !json) return { ok: true, value: secret };
  const written = writePrivate(path, `${secret}\n`);
  if (!written.ok) return written;
  if (json) return { ok: true, value: jsonLine({ schema, file: path }) };
  return { ok: true, value: `the address for signing in is in ${quote(path)}` };
}

/** What a person should know of a code. */
export function codeNote({ naming: { command } }: PageIdentity): string {
  return `note: the code can be used once, within ${describeDuration(CODE_MS)}; ${command} sign-in shows another one`;
}

function writePrivate(path: string, text: string): Result<void, Problem> {
  try {
    replaceFile(path, text, { mode: PRIVATE_MODE });
    return { ok: true, value: undefined };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const message = `${quote(path)}: the address for signing in ${unwritableWords(code)}`;
    return { ok: false, error: { severity: 'error', kind: 'state-write', message } };
  }
}
