/** Takes the code out of the address, so that the history of the browser does not keep it, and signs in with it. */
export function signInFromAddress(): void {
  const [, code] = /^#code=([\da-f-]+)$/.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  const form = document.querySelector<HTMLFormElement>('#sign-in');
  const input = document.querySelector<HTMLInputElement>('#code');
  if (!form || !input) return;
  input.value = code;
  form.requestSubmit();
}
