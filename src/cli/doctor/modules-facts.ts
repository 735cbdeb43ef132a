import { readFileSync } from 'node:fs';
import { launchLine } from '../../agent/process/launch-line.ts';
import { runAsOf, whyClosed } from '../../agent/process/run-as.ts';
import { termsFor } from '../../core/machine/update-policy.ts';
import { readPlanDocuments, type PlanDocuments } from '../../host/plan-documents.ts';

/** What an agent needs of the system to run modules. */
export interface ModulesFacts {
  /** Whether modreg's own agent runs the modules; undefined if nothing has run yet. */
  readonly isOfAgent: true | undefined;
  /** Why modules cannot run as their users, with the names of those modules. */
  readonly refusals: ReadonlyMap<string, readonly string[]>;
  /** The modules that may get more privileges than their users have: the policy does not say `no_new_privs` (D60). */
  readonly mayGainPrivileges: readonly string[];
  /** Whether the system ends modules with the agent: it has a setpriv that can. */
  readonly isKilledWithParent: boolean;
  /** Whether the running agent has a cgroup of its own; undefined if none runs. */
  readonly hasCgroup: boolean | undefined;
  /** Whether systemd manages the services of the machine, or may. */
  readonly hasSystemd: boolean;
  /** Whether the running agent is process 1, as in a container without an init. */
  readonly isInit: boolean;
  /** Whether this user sees the processes of others. */
  readonly isProcHidden: boolean;
}

export async function modulesFacts({
  path,
  policy,
  home,
  agentPid,
  isOfAgent,
  hasSystemd,
}: Pick<ModulesFacts, 'isOfAgent' | 'hasSystemd'> & {
  readonly path: string | undefined;
  readonly policy: string | undefined;
  readonly home: string;
  readonly agentPid: number | undefined;
}): Promise<ModulesFacts> {
  const { isKilledWithParent } = await launchLine();
  const read =
    path === undefined
      ? undefined
      : readPlanDocuments(path, policy === undefined ? {} : { policy });
  const documents = read?.ok === true ? read.value : undefined;
  return {
    isOfAgent,
    hasSystemd,
    refusals: documents ? refusalsOf(documents, home) : new Map(),
    mayGainPrivileges: documents ? gainingIn(documents) : [],
    isKilledWithParent,
    hasCgroup: agentPid === undefined ? undefined : hasCgroup(agentPid),
    isInit: agentPid === 1,
    isProcHidden:
      process.getuid?.() !== 0 &&
      /^\S+ \/proc proc \S*hidepid=(?!0|off)/m.test(textOf('/proc/mounts')),
  };
}

function gainingIn({ machine, policy }: PlanDocuments): string[] {
  return machine.modules.flatMap(({ name }) =>
    termsFor(policy, name).run.noNewPrivs ? [] : [name],
  );
}

function refusalsOf({ machine, policy }: PlanDocuments, home: string): ModulesFacts['refusals'] {
  const refused = machine.modules.flatMap(({ name }) => {
    const user = runAsOf(termsFor(policy, name).run.runAs);
    const why = user.ok ? whyClosed(home, user.value) : user.error;
    return why === undefined ? [] : [{ name, why }];
  });
  return new Map(
    Array.from(
      Map.groupBy(refused, ({ why }) => why),
      ([why, all]) => [why, all.map(({ name }) => name)],
    ),
  );
}

/** Whether the process is in the cgroup that an agent makes for itself below a delegated one. */
function hasCgroup(pid: number): boolean | undefined {
  const text = textOf(`/proc/${pid}/cgroup`);
  return text === '' ? undefined : /^0::.+\.service\/agent$/m.test(text);
}

/** Empty if the file cannot be read: the process has ended, or there is no such mount. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
