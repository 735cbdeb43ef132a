import { readFileSync } from 'node:fs';

/** How many files a process may have open at first: its soft limit. */
export type OpenFiles = number | 'unlimited';

/** The variable in which `bin/modreg` notes the soft limit that it was started with: Node raises its own (T347). */
const OPEN_FILES = 'MODREG_OPEN_FILES';

/** The soft limit that this process was started with: as its start noted it, else that of what has started it. */
export function openFilesOf(
  environment: Readonly<Record<string, string | undefined>>,
  parent: number = process.ppid,
): OpenFiles | undefined {
  const noted = environment[OPEN_FILES] ?? softLimitOf(parent) ?? '';
  if (noted === 'unlimited') return noted;
  return /^\d+$/.test(noted) ? Number(noted) : undefined;
}

function softLimitOf(pid: number): string | undefined {
  try {
    const [, soft] =
      /^Max open files +(\S+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
    return soft;
  } catch {
    // It has ended, or belongs to another user.
    return undefined;
  }
}
