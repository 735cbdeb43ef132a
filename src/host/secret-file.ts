import { modeOpenToOthers } from '../config/file-mode.ts';
import type { Result } from '../core/index.ts';
import { quote } from '../core/text/quote.ts';
import type { Problem } from '../base/problem.ts';
import { readRegularFile } from './document-file.ts';

/** A private key in PEM is much shorter. */
const LONGEST_SECRET = 64 * 1024;

/** The content of a file with a secret, which nobody else may be able to read (D179). */
export function secretIn(path: string): Result<Buffer, Problem> {
  const file = readRegularFile(path, LONGEST_SECRET);
  if (!file.ok) return file;
  const { mode = 0, bytes } = file.value;
  const open = modeOpenToOthers(mode);
  if (open === undefined) return { ok: true, value: Buffer.from(bytes) };
  const message = `others can read the file ${quote(path)}, which has a secret (mode ${open})`;
  return {
    ok: false,
    error: { severity: 'error', kind: 'permissions', message, hint: `chmod 600 ${quote(path)}` },
  };
}
