import { SECRET_FORM } from '../../core/trust/secret-name.ts';

/** What begins a reference to a value that a site holds apart from its documents. */
export const SECRET_MARK = '${secret.';

const REFERENCE = new RegExp(`\\$\\{secret\\.(${SECRET_FORM})\\}`);

/** The parts of `template`: text at the even places, and at the odd ones the names in `${secret.NAME}`. */
export function secretParts(template: string): readonly string[] {
  return template.split(REFERENCE);
}

/** The values that `template` reads as `${secret.NAME}`, in order of appearance. */
export function secretsIn(template: string): string[] {
  return secretParts(template).filter((_part, place) => place % 2 === 1);
}
