import type { Expected } from '../text/argument.ts';
import { parseError, type ParseError, type Misfit } from '../text/parse-error.ts';
import type { Result } from '../text/result.ts';

/** `<module_namespace>:<module_name>`, as `parseModuleId` returns it. The namespace is an organization's name or UUID. */
export type ModuleId = string & { readonly brand: 'module_id' };

const LONGEST_HALF = 63;
/** What a module id consists of. */
export const MODULE_ID_FORM: RegExp =
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}:[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/;

/**
 * Parses a module id: two halves of at most 63 ASCII letters, digits, `_` and `-`, each beginning with a letter or a
 * digit, joined by a colon. So a module id is safe in a path and in a URL. Never throws, whatever the argument.
 *
 * @example
 * ```ts
 * import { parseModuleId } from 'modreg';
 *
 * const id = parseModuleId('acme:lidar');
 * if (!id.ok) throw new Error(id.error.message);
 * console.log(id.value);
 * ```
 */
export function parseModuleId(text: unknown): Result<ModuleId, ParseError<'bad-module-id'>> {
  if (typeof text === 'string' && MODULE_ID_FORM.test(text))
    return { ok: true, value: text as ModuleId };
  return { ok: false, error: parseError('bad-module-id', text, misfitOf(text)) };
}

export const MODULE_ID: Expected = {
  is: (value) => typeof value === 'string' && MODULE_ID_FORM.test(value),
  words: 'a ModuleId of parseModuleId()',
};

export function namespaceOf(id: ModuleId): string {
  return id.slice(0, id.indexOf(':'));
}

export function nameOf(id: ModuleId): string {
  return id.slice(id.indexOf(':') + 1);
}

function misfitOf(text: unknown): Misfit & { readonly suggestion?: string } {
  if (typeof text !== 'string') return { position: 0, expected: 'text' };
  const namespaceEnd = halfEnd(text, 0);
  if (typeof namespaceEnd !== 'number') return namespaceEnd;
  if (text[namespaceEnd] !== ':') {
    const expected = 'a letter, a digit, "_", "-" or ":", as in <namespace>:<name>';
    return { position: namespaceEnd, expected };
  }
  const nameEnd = halfEnd(text, namespaceEnd + 1);
  if (typeof nameEnd !== 'number') return nameEnd;
  const misfit = { position: nameEnd, expected: 'a letter, a digit, "_", "-" or the end' };
  // `acme:lidar@1.2.9`, as other registries write a module with its version.
  return text[nameEnd] === '@' ? { ...misfit, suggestion: text.slice(0, nameEnd) } : misfit;
}

function halfEnd(text: string, from: number): number | Misfit {
  const half = /^[A-Za-z0-9_-]*/.exec(text.slice(from, from + LONGEST_HALF + 1))?.[0] ?? '';
  if (!/^[A-Za-z0-9]/.test(half)) return { position: from, expected: 'a letter or a digit' };
  if (half.length <= LONGEST_HALF) return from + half.length;
  return { position: from + LONGEST_HALF, expected: `at most ${LONGEST_HALF} characters here` };
}
