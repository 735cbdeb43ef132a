/** The form of each kind of secret, and its field, by the name that it has in an address. */
const FORMS = { code: ['#sign-in', '#code'], token: ['#open-wall', '#token'] } as const;

/** Takes the code or the token out of the address, so that the history of the browser does not keep it, and signs in with it. */
export function signInFromAddress(): void {
  const [, name, secret] = /^#(code|token)=([\w-]+)$/.exec(location.hash) ?? [];
  if (name === undefined || secret === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  const [formName, inputName] = FORMS[name as keyof typeof FORMS];
  const form = document.querySelector<HTMLFormElement>(formName);
  const input = document.querySelector<HTMLInputElement>(inputName);
  if (!form || !input) return;
  input.value = secret;
  form.requestSubmit();
}
