import { type UpdatePolicy, termsFor } from '../../core/machine/update-policy.ts';
import { isForbidden } from '../agent-secrets.ts';
import { valueOf, variablesIn, type Environment } from '../text/environment-template.ts';
import type { Finding } from '../fault.ts';
import type { MachineOutline } from './outline.ts';

/**
 * Variables that a module's `env` reads although they are forbidden or not set. If `environment` is undefined,
 * unset variables are not reported.
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
        if (policy !== 'unreadable' && isForbidden(variable, termsFor(policy, name).envAllow)) {
          const message = `${variable} is a secret of the agent`;
          const hint = "add it to the policy's env_allow to pass it to this module";
          return [{ kind: 'forbidden-variable', path, message, hint }];
        }
        if (!environment || valueOf(variable, environment) !== undefined) return [];
        return [{ kind: 'unset-variable', path, message: `${variable} is not set` }];
      });
    }),
  );
}
