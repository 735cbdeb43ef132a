import { type UpdatePolicy, type UpdateTerms, termsFor } from '../../core/machine/update-policy.ts';
import { forbiddenFrom, isForbidden } from '../agent-secrets.ts';
import { valueOf, variablesIn, type Environment } from '../text/environment-template.ts';
import type { Finding } from '../fault.ts';
import type { MachineOutline } from './outline.ts';

/**
 * Variables that a module's `env` reads although they are forbidden, will be (D61), or are not set. If `environment` is
 * undefined, unset variables are not reported.
 */
export function variableFindings(
  { modules }: MachineOutline,
  policy: UpdatePolicy | 'unreadable',
  environment: Environment | undefined,
): Finding[] {
  return modules.flatMap(({ name, env }, index) =>
    Object.entries(env).flatMap(([key, template]) => {
      const path = ['modules', index, 'env', key];
      return [...new Set(variablesIn(template))].flatMap((variable): Finding[] => {
        const secret =
          policy === 'unreadable' ? [] : secretFinding(variable, path, termsFor(policy, name));
        const isKnown = !environment || valueOf(variable, environment) !== undefined;
        if (isKnown || secret[0]?.kind === 'forbidden-variable') return secret;
        return secret.concat({ kind: 'unset-variable', path, message: `${variable} is not set` });
      });
    }),
  );
}

const ALLOW = "add it to the policy's env_allow to pass it to this module";

function secretFinding(
  variable: string,
  path: Finding['path'],
  { envAllow }: Pick<UpdateTerms, 'envAllow'>,
): Finding[] {
  const message = `${variable} is a secret of the agent`;
  if (isForbidden(variable, envAllow)) {
    return [{ kind: 'forbidden-variable', path, message, hint: ALLOW }];
  }
  const from = forbiddenFrom(variable, envAllow);
  if (from === undefined) return [];
  const later = `${message}, which modreg ${from} and later do not pass to this module`;
  return [{ kind: 'secret-variable', path, message: later, hint: ALLOW }];
}

/** Variables in the headers of a policy's `logs` that will be forbidden (D61). */
export function headerFindings({ logs, terms }: UpdatePolicy): Finding[] {
  return Object.entries(logs?.headers ?? {}).flatMap(([name, template]) =>
    [...new Set(variablesIn(template))].flatMap((variable): Finding[] => {
      const from = forbiddenFrom(variable, terms.envAllow);
      if (from === undefined) return [];
      const message = `${variable} is a secret of the agent, which modreg ${from} and later do not put into this header`;
      const hint = "add it to the policy's env_allow to send it";
      return [{ kind: 'secret-variable', path: ['logs', 'headers', name], message, hint }];
    }),
  );
}
