import { dirname, join } from 'node:path';
import { isName } from '../config/text/name.ts';
import { moduleEnvironment } from '../config/module-environment.ts';
import { platformHome } from '../config/platform-home.ts';
import type { Configuration } from '../core/plan/configuration.ts';
import { moduleOf } from '../core/plan/target.ts';
import { DEFAULT_TERMS, termsFor } from '../core/machine/update-policy.ts';
import { quote } from '../core/text/quote.ts';
import { parseVersion } from '../core/version/version.ts';
import type { CommittedAction } from '../store/index.ts';
import type { Delivery } from './delivery.ts';

/** What an agent needs to run the target of an action, from the configuration as it is at the delivery. */
type ModuleSetup = Pick<Delivery, 'entry' | 'terms' | 'environment' | 'folders'>;

/** The machine, as far as the folders and variables of modules depend on it. */
export interface SetupTerms {
  /** The path of the machine's file: without `PLATFORM_HOME` and `HOME`, its folder is the platform's home. */
  readonly path: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly machineId: string | undefined;
}

const DIGEST_LENGTH = 12;
const LOCAL_MACHINE = 'local';

/** Returns the function that computes the setup of an action. Throws a RangeError if the machine's id is no path segment. */
export function moduleSetups({
  path,
  environment,
  machineId = environment['PLATFORM_PART_ID'] || LOCAL_MACHINE,
}: SetupTerms): (action: CommittedAction, configuration: Configuration | undefined) => ModuleSetup {
  if (!isName(machineId)) {
    throw new RangeError(`machineId is ${quote(machineId)}, expected a single path segment`);
  }
  const home = platformHome(environment) ?? dirname(path);
  const own = { ...environment, PLATFORM_HOME: home };
  return (action, configuration) => {
    const { target } = action;
    const terms = configuration ? termsFor(configuration.policy, target.name) : DEFAULT_TERMS;
    const entry =
      target.kind === 'module'
        ? configuration?.machine.modules.find(({ name }) => name === target.name)
        : undefined;
    const root = packageFolder(home, action);
    if (!entry) {
      const variables = { ok: true, value: { PLATFORM_HOME: home } } as const;
      return { entry, terms, environment: variables, folders: { root, data: undefined } };
    }
    const { envAllow } = terms;
    return {
      entry,
      terms,
      environment: moduleEnvironment(entry, {
        environment: own,
        machineId,
        moduleRoot: root,
        envAllow,
      }),
      folders: { root, data: join(home, 'module-data', machineId, entry.name) },
    };
  };
}

function packageFolder(
  home: string,
  { target, to, artifact }: CommittedAction,
): string | undefined {
  if (!parseVersion(to).ok) return undefined;
  const [, digest = ''] = /^[^:]*:(.*)$/.exec(artifact?.digest ?? '') ?? [];
  const suffix = digest === '' ? '' : `-${digest.slice(0, DIGEST_LENGTH)}`;
  return join(home, 'packages', ...moduleOf(target).split(':'), `${to}${suffix}`);
}
