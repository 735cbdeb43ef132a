import type { Result } from '../core/index.ts';
import type { UpdatePolicy } from '../core/machine/update-policy.ts';
import { secret, type Secret } from '../core/text/secret.ts';
import { isForbidden } from './agent-secrets.ts';
import { expand, variablesIn, type Environment } from './text/environment-template.ts';

/** What a header can contain. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Where logs are sent, with the agent's variables in the headers; undefined if nowhere. The error never shows a value. */
export function logDestination(
  { logs, terms }: UpdatePolicy,
  environment: Environment,
): Result<
  { readonly endpoint: string; readonly headers: Readonly<Record<string, Secret>> } | undefined,
  string
> {
  if (!logs) return { ok: true, value: undefined };
  const headers: Record<string, Secret> = {};
  for (const [name, template] of Object.entries(logs.headers)) {
    const forbidden = variablesIn(template).find((one) => isForbidden(one, terms.envAllow));
    if (forbidden !== undefined) {
      const error = `${forbidden}, which the header ${name} needs, is a secret of the agent that the policy's env_allow does not list`;
      return { ok: false, error };
    }
    const value = expand(template, environment);
    if (!value.ok) {
      const error = `the agent has no variable ${value.error}, which the header ${name} needs`;
      return { ok: false, error };
    }
    if (!VALUE.test(value.value)) {
      const error = `the header ${name} is empty, or contains what a header cannot contain`;
      return { ok: false, error };
    }
    headers[name] = secret(value.value);
  }
  return { ok: true, value: { endpoint: logs.endpoint, headers } };
}
