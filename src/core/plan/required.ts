import { deployedVersion, type Deployed } from '../decision/deployed.ts';
import { machineFacts, type MachineFacts, type Provided } from '../releases/machine-facts.ts';
import { parseModuleId } from '../releases/module-id.ts';
import type { Machine } from '../machine/machine.ts';
import type { UpdatePolicy } from '../machine/update-policy.ts';
import type { ActionTarget } from './action.ts';
import { SUBSYSTEM_MODULES } from './subsystem.ts';

/** What of the input of a plan determines whether requirements are met. */
interface Judged {
  readonly requirements?:
    | {
        readonly satisfies: MachineFacts['satisfies'];
        readonly systemTags: () => readonly string[];
        readonly deployed?: MachineFacts['deployed'];
      }
    | undefined;
  readonly machine: Machine;
  readonly policy: UpdatePolicy;
  readonly modules: ReadonlyMap<string, { readonly deployed: Deployed }>;
  readonly subsystems: ReadonlyMap<string, { readonly deployed: Deployed }>;
}

/**
 * Makes what each row of a plan may ask of the machine, without what other rows asked (D86). Undefined if requirements are not
 * judged.
 */
export function machineFactsIn(input: Judged): () => MachineFacts | undefined {
  const { requirements, policy, modules, subsystems } = input;
  if (!requirements) return () => undefined;
  const deployedOf = ({ kind, name }: ActionTarget): Deployed | undefined =>
    (kind === 'module' ? modules.get(name) : subsystems.get(name))?.deployed;
  const { satisfies, systemTags, deployed = deployedIn(input, deployedOf) } = requirements;
  let tags: ReadonlySet<string> | undefined;
  const hasTag = (tag: string): boolean =>
    (tags ??= new Set([...systemTags(), ...(policy.tags ?? [])])).has(tag);
  return () => machineFacts({ deployed, hasTag, satisfies });
}

/**
 * What is deployed of a subsystem or a module: of each of its entries, whatever their names. What the policy provides counts
 * where modreg does not know what is deployed: it does not manage it, or nothing was reported (D87).
 */
export function deployedIn(
  { machine, policy }: { readonly machine: Machine; readonly policy: UpdatePolicy },
  deployedOf: (target: ActionTarget) => Deployed | undefined,
): MachineFacts['deployed'] {
  return (of) => {
    const name = subsystemOf(of);
    const provided = policy.provides?.get(of) ?? (name && providedAs(name, policy));
    const known: Provided[] = name
      ? [providedBy(deployedOf({ kind: 'subsystem', name }))]
      : machine.modules
          .filter(({ moduleId }) => moduleId === of)
          .map(({ type, name: entry, moduleId }) => {
            const target = { kind: 'module', name: entry, moduleId } as const;
            return providedBy(type === 'local' ? undefined : deployedOf(target), entry);
          });
    if (provided === undefined) return known;
    const instead = { kind: 'version', text: provided } as const;
    if (known.length === 0) return [instead];
    return known.map((one) => (one.kind === 'unknown' ? instead : one));
  };
}

/** The policy may name a subsystem by its own name, or by the module that has its releases. */
function providedAs(
  name: keyof typeof SUBSYSTEM_MODULES,
  { provides }: UpdatePolicy,
): string | undefined {
  return provides?.get(name) ?? provides?.get(SUBSYSTEM_MODULES[name]);
}

/** Whether a release may require versions of what is named so: `platform-server`, `platform-agent` or a module id. */
export function isRequirable(of: string): boolean {
  return subsystemOf(of) !== undefined || parseModuleId(of).ok;
}

/** The subsystem that is named so, or whose releases the module has; undefined if it is none. */
export function subsystemOf(of: string): keyof typeof SUBSYSTEM_MODULES | undefined {
  if (of === 'platform-agent' || of === SUBSYSTEM_MODULES['platform-agent'])
    return 'platform-agent';
  const isServer = of === 'platform-server' || of === SUBSYSTEM_MODULES['platform-server'];
  return isServer ? 'platform-server' : undefined;
}

export function providedBy(deployed: Deployed = { kind: 'unknown' }, entry?: string): Provided {
  const version = deployedVersion(deployed);
  if (version) return { kind: 'version', text: version.text, entry };
  const { kind } = deployed;
  return { kind: kind === 'none' || kind === 'unknown' ? kind : 'no-version', entry };
}
