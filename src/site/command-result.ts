import type { Result } from '../core/index.ts';
import type { Problem } from '../base/problem.ts';
import type { CommandRefusal } from '../registry/command-client.ts';

const KINDS = {
  'no-commands': 'registry-refused',
  'too-many-commands': 'registry-refused',
  'older-front': 'older-front',
  'bad-release': 'bad-value',
  'too-large': 'too-large',
} as const;

/** What a registry answered about commands, or why it did not do what was asked. */
export function commandResult<T>(
  result: Result<T, CommandRefusal>,
  /** The machine that they are for; absent for a group. */
  machine?: string,
): Result<T, Problem> {
  if (result.ok) return result;
  const { kind, detail: message } = result.error;
  const hint =
    kind === 'too-many-commands' && machine !== undefined
      ? `modreg fleet commands --machine ${machine} shows them; they expire`
      : undefined;
  return { ok: false, error: { severity: 'error', kind: KINDS[kind], message, hint } };
}
