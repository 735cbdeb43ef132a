/** What begins a reference to a value that a site holds apart from its documents. */
export const SECRET_MARK = '${secret.';

/** Its name is as `isSecretName` has it. */
const REFERENCE = /\$\{secret\.([A-Za-z][A-Za-z0-9_]{0,63})\}/;

/** The parts of `template`: text at the even places, and at the odd ones the names in `${secret.NAME}`. */
export function secretParts(template: string): readonly string[] {
  return template.split(REFERENCE);
}

/** The values that `template` reads as `${secret.NAME}`, in order of appearance. */
export function secretsIn(template: string): string[] {
  return secretParts(template).filter((_part, place) => place % 2 === 1);
}
