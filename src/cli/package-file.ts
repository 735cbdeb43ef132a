/** The address of a file of this package, such as `package.json`. */
export function packageFile(path: string): URL {
  // In `src/cli` as in `dist/cli`, the package is two folders up.
  return new URL(`../../${path}`, import.meta.url);
}
