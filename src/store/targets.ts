import { dirname } from 'node:path';
import type { ActionTarget, Deployed, ModuleId } from '../core/index.ts';
import { reportedText } from '../core/explanation/decision-words.ts';
import type { LoggedDecision, NextDecision } from '../core/plan/logged-decisions.ts';
import { expectArgument, expectMembers, having, optional, TEXT } from '../core/text/argument.ts';
import { expectSpelling } from '../core/text/spelling.ts';
import { snapshot } from '../sqlite/database.ts';
import { decisionsIn } from './decision-log.ts';
import type { MachineFile } from './machine-file.ts';
import { factsIn, memoryOf, pendingIn } from './memory.ts';
import { deployingArtifact } from './outbox.ts';
import { packageFolder } from './package-folder.ts';

/** What the machine's file says about one module or subsystem. */
export interface MachineTarget {
  /** The module entry or the subsystem. */
  readonly target: ActionTarget;
  /** What is deployed. */
  readonly deployed: Deployed;
  /** The last decision in one word: `up-to-date`, `ahead`, `local`, `disabled`, `install`, `upgrade`, `downgrade`, `rollback`, `restart`, `hold` or `stuck`. */
  readonly decision: string;
  /** The version, or the address, to which the decision leads; undefined if it leads to none. */
  readonly version: string | undefined;
  /** Whether something holds the replacement. */
  readonly isHeld: boolean;
  /** When the hold or the quarantine ends, in milliseconds since the epoch; undefined if there is none, or if its end is not known. */
  readonly until: number | undefined;
  /** What the passing of time alone makes of the decision; undefined if that is not known, or if it only follows from the last confirmation of the list. */
  readonly next:
    | {
        /** When, in milliseconds since the epoch. */
        readonly at: number;
        /** What happens then, as in `NextChange` of `modreg`. */
        readonly because: string;
        /** The decision at that time in one word. */
        readonly decision: string;
        /** The version, or the address, to which that decision leads; undefined if it leads to none. */
        readonly version: string | undefined;
      }
    | undefined;
  /** The folder of the deployed release; undefined if nothing of a known version is deployed, or no action of this file deployed it. */
  readonly root: string | undefined;
}

const FILE = having('a MachineFile of openMachineFile()', 'close');
const OPTIONS = { home: optional(TEXT) };

/**
 * The modules and subsystems of the last plan, in the order of the machine config, as the file has them: what `modreg status` shows (D340).
 * `home` is the platform's home (`PLATFORM_HOME`), the folder of the file by default. Throws a DatabaseError if the file cannot be read.
 *
 * @example
 * ```ts
 * import { openMachineFile, targetsIn } from 'modreg/store';
 *
 * const file = openMachineFile('machine.db', { mode: 'read' });
 * for (const { target, decision, root } of targetsIn(file)) console.log(target.name, decision, root);
 * file.close();
 * ```
 */
export function targetsIn(
  file: MachineFile,
  options: { readonly home?: string | undefined } = {},
): MachineTarget[] {
  expectArgument('targetsIn()', 'file', file, FILE);
  expectMembers('targetsIn()', 'options', options, OPTIONS);
  expectSpelling('targetsIn()', 'options', options, OPTIONS);
  const { sql, path, database } = file;
  const { home = dirname(path) } = options;
  return snapshot(database, () => {
    const memory = memoryOf(factsIn(sql), pendingIn(sql));
    return decisionsIn(sql).flatMap((logged): MachineTarget[] => {
      const target = targetOf(logged);
      const { deployed } = memory.of(target);
      // A machine need not report a subsystem.
      if (target.kind === 'subsystem' && deployed.kind === 'unknown') return [];
      const { decision, target: version, until } = logged;
      const next = logged.next && nextIn(logged.next);
      const root = rootOf(file, { home, target, deployed });
      const isHeld = decision === 'hold';
      return [{ target, deployed, decision, version, isHeld, until, next, root }];
    });
  });
}

function targetOf({ kind, name, moduleId }: LoggedDecision): ActionTarget {
  // A cast: the shape of the row was checked.
  if (kind === 'module') return { kind, name, moduleId: moduleId as ModuleId };
  return { kind, name: name === 'platform-agent' ? name : 'platform-server' };
}

function nextIn({ at, because, decision, target }: NextDecision): MachineTarget['next'] {
  return { at, because, decision, version: target };
}

function rootOf(
  { sql }: MachineFile,
  {
    home,
    target,
    deployed,
  }: { readonly home: string; readonly target: ActionTarget; readonly deployed: Deployed },
): string | undefined {
  const version = deployed.kind === 'version' ? reportedText(deployed) : undefined;
  const found = version === undefined ? undefined : deployingArtifact(sql, target, version);
  if (version === undefined || !found) return undefined;
  return packageFolder(home, { target, version, artifact: found.artifact });
}
