/**
 * The agent's own credentials: every variable with a secret that modreg reads (Authentication). The value is the version of
 * modreg from which a module may read it only if the policy allows it; until then a warning says so (D61). Undefined: it
 * already may not.
 */
const AGENT_SECRETS: ReadonlyMap<string, string | undefined> = new Map([
  ['PLATFORM_API_KEY_ID', undefined],
  ['PLATFORM_API_KEY', undefined],
  ['PLATFORM_PART_ID', undefined],
  ['MODREG_SIGNING_KEY', undefined],
  ['MODREG_KEY_PASSPHRASE', undefined],
  ['MODREG_NOTIFY_SECRET', undefined],
  ['MODREG_TOKEN', '0.4.0'],
]);

/** What says that the value is a secret: words of the reference, and those that modules use. */
const SECRET = /auth|cookie|credential|key|passw|passphrase|psk|secret|signature|token/i;

/** Whether `variable` is an agent secret that is not in `allowed`. */
export function isForbidden(variable: string, allowed: readonly string[]): boolean {
  return isProtected(variable, allowed) && AGENT_SECRETS.get(variable) === undefined;
}

/** The version of modreg from which `variable` is forbidden, if it is an agent secret that is not in `allowed` and still may be read. */
export function forbiddenFrom(variable: string, allowed: readonly string[]): string | undefined {
  return isProtected(variable, allowed) ? AGENT_SECRETS.get(variable) : undefined;
}

function isProtected(variable: string, allowed: readonly string[]): boolean {
  return AGENT_SECRETS.has(variable) && !allowed.includes(variable);
}

/** Whether a name, of a variable, a header or a field, says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET.test(name);
}

/** Whether a variable of the agent is a secret: one of its own, or one that the `logs` of a policy may name. One with a path is none. */
export function isSecretVariable(name: string): boolean {
  return AGENT_SECRETS.has(name) || (isSecretName(name) && !name.endsWith('_FILE'));
}
