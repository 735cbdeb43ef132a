/** What `registry publish` says of a release that names no file (D491). */
export function fileless(version: string): string {
  return `note: ${version} has no file, and none can be added later: modreg's agent cannot install it; publish the next version with --upload <file>`;
}
