/** The bits of a file's mode that let others than its owner in. */
const OTHERS = 0o077;

/** The mode of a file that others than its owner may use, as `chmod` has it; undefined where they may not. */
export function modeOpenToOthers(mode: number): string | undefined {
  return (mode & OTHERS) === 0 ? undefined : (mode & 0o777).toString(8).padStart(4, '0');
}
