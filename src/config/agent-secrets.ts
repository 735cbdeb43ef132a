/** The agent's own credentials. (Authentication) */
const AGENT_SECRETS = new Set(['PLATFORM_API_KEY_ID', 'PLATFORM_API_KEY', 'PLATFORM_PART_ID']);

/** Whether `variable` is an agent secret that is not in `allowed`. */
export function isForbidden(variable: string, allowed: readonly string[]): boolean {
  return AGENT_SECRETS.has(variable) && !allowed.includes(variable);
}
