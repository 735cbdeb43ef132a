import type { MachineFile } from '../store/index.ts';
import { activationsIn } from '../store/activations.ts';
import { launcherPackages } from './self-update.ts';

/** The packages that must stay: current, previous and candidate ones, and those of the launcher. Throws a DatabaseError if the file cannot be used. */
export function packagesInUse(file: MachineFile, home: string): ReadonlySet<string> {
  const all = Array.from(activationsIn(file).values(), ({ activation }) =>
    activation.phase === 'stable'
      ? [activation.current, activation.previous, activation.failed]
      : [
          activation.candidate,
          activation.previous,
          'failed' in activation ? activation.failed : undefined,
        ],
  );
  const modules = all.flat().flatMap((installed) => installed?.root ?? []);
  return new Set([...modules, ...launcherPackages(home)]);
}
