/** `does not exist`, or why else a file cannot be read, by the code of the system. */
export function unreadableWords(code: string): string {
  return code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
}

/** Why a file cannot be written, by the code of the system. */
export function unwritableWords(code: string): string {
  return `cannot be written (${code === 'ENOENT' ? 'its folder does not exist' : code})`;
}
