/** The name of a value that a site holds apart from its documents, as a regular expression. */
export const SECRET_FORM = '[A-Za-z][A-Za-z0-9_]{0,63}';

const NAME = new RegExp(`^${SECRET_FORM}$`);

export function isSecretName(text: string): boolean {
  return NAME.test(text);
}
