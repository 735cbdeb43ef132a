import type { JudgedMachineParts } from '../support/judged-requirements.ts';
import { SYSTEM_TAGS, type Desired } from './desired.ts';
import { AGENT, knownOf, SERVER, type Ledger } from './ledger.ts';

type Running = string | null | undefined;

/**
 * What the machine has of what releases require: what is deployed of a subsystem, or of each entry of a module, or what the policy
 * provides of what is not known. (D87)
 */
export function machineParts(ledger: Ledger, desired: Desired): JudgedMachineParts {
  const { provides, tags, modules } = desired;
  const deployed = new Map<string, Running[]>();
  for (const { name, moduleId, isLocal } of modules) {
    const target = { kind: 'module', name, moduleId } as const;
    const { running } = knownOf(ledger, target);
    const others = deployed.get(moduleId) ?? [];
    deployed.set(moduleId, [
      ...others,
      orProvided(isLocal ? undefined : running, provides[moduleId]),
    ]);
  }
  for (const [of, version] of Object.entries(provides)) {
    if (!deployed.has(of)) deployed.set(of, [version]);
  }
  for (const target of [SERVER, AGENT]) {
    const { name, moduleId } = target;
    const { running } = knownOf(ledger, target);
    deployed.set(name, [orProvided(running, provides[name] ?? provides[moduleId])]);
    deployed.set(moduleId, [orProvided(running, provides[moduleId] ?? provides[name])]);
  }
  return { deployed, tags: [...SYSTEM_TAGS, ...tags] };
}

function orProvided(running: Running, provided: string | undefined): Running {
  return running === undefined ? provided : running;
}
