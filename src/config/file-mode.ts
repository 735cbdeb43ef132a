/** The mode bits that grant access to the group and to all other users. */
const OTHERS = 0o077;

/** `mode` in the octal notation of `chmod`, such as `0644`; undefined if only the owner has access. */
export function modeOpenToOthers(mode: number): string | undefined {
  return (mode & OTHERS) === 0 ? undefined : (mode & 0o777).toString(8).padStart(4, '0');
}
