import { machineFacts, type MachineFacts, type Provided } from '../core/releases/machine-facts.ts';
import type { LoggedDecision } from '../core/plan/logged-decisions.ts';
import type { MachineMemory } from '../core/plan/machine-memory.ts';
import { providedBy, subsystemOf } from '../core/plan/required.ts';
import { satisfiesRange } from '../registry/npm-range.ts';
import { targetOf } from './machine-row.ts';

/**
 * What a machine has now that releases may require, by its file: what is deployed of the targets of its last plan. What the file
 * does not know, such as tags and what the policy provides, is as it was recorded (D87).
 */
export function requirementsNow(
  decisions: readonly LoggedDecision[],
  memory: MachineMemory,
  recorded: MachineFacts | undefined,
): MachineFacts {
  const deployed = (of: string): readonly Provided[] => {
    const name = subsystemOf(of);
    const rows = decisions.filter((row) =>
      name ? row.kind === 'subsystem' && row.name === name : row.moduleId === of,
    );
    const known = rows.map((row) =>
      providedBy(memory.of(targetOf(row)).deployed, name === undefined ? row.name : undefined),
    );
    const isKnown = known.length > 0 && known.every(({ kind }) => kind !== 'unknown');
    return isKnown
      ? known
      : recorded?.asked?.deployed.has(of)
        ? recorded.deployed(of)
        : [{ kind: 'unknown' }];
  };
  const hasTag = (tag: string): boolean => recorded?.hasTag(tag) ?? false;
  return machineFacts({ deployed, hasTag, satisfies: satisfiesRange });
}
