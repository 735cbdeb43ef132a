import { parseVersion, type ModuleId } from '../../src/core/index.ts';
import { machineStateIn } from '../../src/store/machine-state.ts';
import { firstRunning } from './beginnings.ts';
import type { Chance } from './chance.ts';
import { deploy } from './host.ts';
import { noteRunning } from './deployed.ts';
import { keyOf, targetsOf } from './ledger.ts';
import type { World } from './world.ts';

/** Chooses the versions that are deployed at first, and records some of them in machine.db. */
export function install(
  { running, conditions, disk, ledger, line, host }: World,
  chance: Chance,
): void {
  const file = disk.elsewhere();
  const state = machineStateIn(file);
  const isKnown = chance.is(0.8);
  for (const target of targetsOf(conditions.desired)) {
    const text = firstRunning(chance);
    if (host) {
      // It knows only what it installed, and not itself.
      if (target.name !== 'platform-agent' && text !== null && parseVersion(text).ok) {
        deploy(host, file, target, text);
      }
      continue;
    }
    running.set(keyOf(target), text);
    if (!isKnown || chance.is(0.2)) continue;
    const { kind, name, moduleId } = target;
    if (kind === 'subsystem' && chance.is(0.5)) continue;
    const reported =
      kind === 'module'
        ? { kind, name, moduleId: moduleId as ModuleId }
        : { kind, name: name as 'platform-agent' };
    state.report(reported, text, line.wall());
    noteRunning(ledger, target, text);
  }
}
