import type { Result } from '../../core/index.ts';
import { badValue } from '../fault.ts';
import { parsedText, type Schema } from './fields.ts';

/** A process's environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

const MARK = '${environment.';
const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const LEGAL_NAME = new RegExp(`^${NAME}$`);
const REFERENCE = new RegExp(`\\$\\{environment\\.(${NAME})\\}`, 'g');
/** The beginning of a reference, complete or not. */
const ATTEMPT = /\$\{environment\.([^}]*)(\}?)/g;

/** The name of an environment variable. */
export const variableName: Schema<string> = parsedText(
  'the name of an environment variable',
  (text) => {
    if (LEGAL_NAME.test(text)) return { ok: true, value: text };
    // Not quoted: someone who swaps the key and the value writes a secret here.
    const message = 'not the name of an environment variable, expected letters, digits and _';
    return { ok: false, error: badValue(message) };
  },
  { pattern: LEGAL_NAME.source },
);

/** A value of a module's `env`, as written. */
export const environmentTemplate: Schema<string> = parsedText(
  'text',
  (text) => {
    const complaint = complaintOf(text);
    return complaint === undefined
      ? { ok: true, value: text }
      : { ok: false, error: badValue(complaint) };
  },
  { pattern: `^(?:(?!\\$\\{environment\\.)[^\\u0000]|\\$\\{environment\\.${NAME}\\})*$` },
);

/** The variables that `template` reads as `${environment.NAME}`, in order of appearance. */
export function variablesIn(template: string): string[] {
  if (!template.includes(MARK)) return [];
  return Array.from(template.matchAll(REFERENCE), ([, name = '']) => name);
}

/**
 * `template` with each `${environment.NAME}` replaced by the exact value in `environment`, which is not expanded
 * again. The error is the name of a variable that is not set. (Module entry, env)
 */
export function expand(template: string, environment: Environment): Result<string, string> {
  const unset = variablesIn(template).find((name) => valueOf(name, environment) === undefined);
  if (unset !== undefined) return { ok: false, error: unset };
  const value = template.replace(REFERENCE, (_part, name: string) =>
    String(valueOf(name, environment)),
  );
  return { ok: true, value };
}

/** The value of a variable; undefined if it is not set. Ignores properties inherited from Object. */
export function valueOf(name: string, environment: Environment): string | undefined {
  return Object.hasOwn(environment, name) ? environment[name] : undefined;
}

/** Never quotes the text: a value of `env` may be a secret. */
function complaintOf(text: string): string | undefined {
  if (text.includes('\0'))
    return 'the text contains a NUL character, which a variable cannot contain';
  if (!text.includes(MARK)) return undefined;
  for (const { 1: name = '', 2: end, index } of text.matchAll(ATTEMPT)) {
    const place = `at character ${index + 1}`;
    if (end === '') return `${MARK}…} ${place} has no closing brace`;
    if (!LEGAL_NAME.test(name)) {
      return `${MARK}…} ${place} does not name a variable, expected letters, digits and _`;
    }
  }
  return undefined;
}
