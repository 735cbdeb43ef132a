import { dirname, join } from 'node:path';
import { LOCAL_MACHINE } from '../config/machine-id.ts';
import { isName } from '../config/text/name.ts';
import { moduleEnvironment } from '../config/module-environment.ts';
import { platformHome } from '../config/platform-home.ts';
import type { ActionTarget } from '../core/index.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import type { PermittedRollback } from '../core/plan/permitted-rollback.ts';
import { DEFAULT_TERMS, termsFor } from '../core/machine/update-policy.ts';
import { quote } from '../core/text/quote.ts';
import { parseVersion } from '../core/version/version.ts';
import type { CommittedAction } from '../store/index.ts';
import { packageFolder } from '../store/package-folder.ts';
import type { Delivery } from './delivery.ts';

/** What an agent needs to run the target of an action, from the configuration as it is at the delivery. */
type ModuleSetup = Pick<Delivery, 'entry' | 'terms' | 'environment' | 'folders' | 'rollback'>;

/** The machine, as far as the folders and variables of modules depend on it. */
export interface SetupTerms {
  /** The path of the machine's file: without `PLATFORM_HOME` and `HOME`, its folder is the platform's home. */
  readonly path: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly machineId: string | undefined;
  /** As in the options of a poller. */
  readonly secretOf?: Parameters<typeof moduleEnvironment>[1]['secretOf'];
}

/** The platform's home. */
export function homeOf({ path, environment }: Omit<SetupTerms, 'machineId' | 'secretOf'>): string {
  return platformHome(environment) ?? dirname(path);
}

/** Computes the setup of an action, and of the rollback that is permitted if it fails. */
type SetupOf = (
  action: Pick<CommittedAction, 'target' | 'to' | 'artifact'>,
  configuration: Configuration | undefined,
  permitted: PermittedRollback | undefined,
) => ModuleSetup;

/** Returns the function that computes the setup of an action. Throws a RangeError if the machine's id is no path segment. */
export function moduleSetups({
  path,
  environment,
  machineId = LOCAL_MACHINE,
  secretOf,
}: SetupTerms): SetupOf {
  if (!isName(machineId)) {
    throw new RangeError(`machineId is ${quote(machineId)}, expected a single path segment`);
  }
  const home = homeOf({ path, environment });
  const own = { ...environment, PLATFORM_HOME: home };
  return (action, configuration, permitted) => {
    const { target } = action;
    const terms = configuration ? termsFor(configuration.policy, target.name) : DEFAULT_TERMS;
    const entry =
      target.kind === 'module'
        ? configuration?.machine.modules.find(({ name }) => name === target.name)
        : undefined;
    const root = rootOf(home, action);
    const setup = { entry, terms, rollback: rollbackIn(home, target, permitted) };
    if (!entry) {
      const variables = { ok: true, value: { PLATFORM_HOME: home } } as const;
      return { ...setup, environment: variables, folders: { root, data: undefined } };
    }
    const { envAllow } = terms;
    const place = { environment: own, machineId, moduleRoot: root, envAllow, secretOf };
    return {
      ...setup,
      environment: moduleEnvironment(entry, place),
      folders: { root, data: join(home, 'module-data', machineId, entry.name) },
    };
  };
}

function rollbackIn(
  home: string,
  target: ActionTarget,
  permitted: PermittedRollback | undefined,
): ModuleSetup['rollback'] {
  return permitted && { ...permitted, root: packageFolder(home, { target, ...permitted }) };
}

/** The folder of what an action deploys; an address has none. */
function rootOf(
  home: string,
  { target, to, artifact }: Parameters<SetupOf>[0],
): string | undefined {
  const release = { target, version: to, artifact };
  return parseVersion(to).ok ? packageFolder(home, release) : undefined;
}
