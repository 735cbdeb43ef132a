/** The name of a value that a site holds apart from its documents. */
const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

export function isSecretName(text: string): boolean {
  return NAME.test(text);
}
