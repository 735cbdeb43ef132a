import type { Result } from '../../core/index.ts';

/** A process's environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export const MARK = '${environment.';
/** The name of a variable, as a regular expression. */
export const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const REFERENCE = new RegExp(`\\$\\{environment\\.(${NAME})\\}`, 'g');

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
