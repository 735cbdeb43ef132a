import { KEY_BYTES, secretKey } from '../../cluster/secret-key.ts';
import type { Result } from '../../core/index.ts';
import { quote } from '../../core/text/quote.ts';
import { usage, type Problem } from '../../base/problem.ts';
import { secretIn } from '../../host/secret-file.ts';
import type { SecretKey } from '../../server/configs/sealed-secrets.ts';

const HINT = 'openssl rand -base64 32 > secrets.key makes one; chmod 600 secrets.key';

/** The key in the file that `--secrets-key` names; undefined without it. */
export function secretsKeyIn(path: string | undefined): Result<SecretKey | undefined, Problem> {
  if (path === undefined) return { ok: true, value: undefined };
  const file = secretIn(path);
  if (!file.ok) return file;
  const text = file.value.toString().trim();
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === KEY_BYTES && bytes.toString('base64') === text) {
    return { ok: true, value: secretKey(bytes) };
  }
  const message = `--secrets-key: ${quote(path)} has no key, expected 32 bytes in base64`;
  return { ok: false, error: usage(message, HINT) };
}
