/**
 * Packages that `dist/cli` does not contain, although commands use them: npm installs them beside modreg, and the Debian
 * package and the agent's package have copies. The Public Suffix List is a tenth of what `dist/cli` would have with it.
 */
export const PACKAGES_APART: readonly string[] = ['tldts'];
