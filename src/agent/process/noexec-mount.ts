import { readFileSync, realpathSync } from 'node:fs';

const MOUNTS = '/proc/self/mountinfo';

/** The mount point of the file system of `path`, if no program on it can be started: it is mounted noexec. */
export function noexecMount(path: string): string | undefined {
  const real = realPath(path);
  // The later of two mounts at one place covers the other.
  const found = mountsIn(textOf(MOUNTS))
    .filter(({ place }) => real === place || real.startsWith(place === '/' ? '/' : `${place}/`))
    .toReversed()
    .toSorted((one, other) => other.place.length - one.place.length)[0];
  return found?.isNoexec === true ? found.place : undefined;
}

/** What cannot be reached is on no known mount. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return '';
  }
}

function mountsIn(text: string): { readonly place: string; readonly isNoexec: boolean }[] {
  return text.split('\n').flatMap((line) => {
    const [, , , , place, options] = line.split(' ');
    if (place === undefined || options === undefined) return [];
    return { place: unescaped(place), isNoexec: options.split(',').includes('noexec') };
  });
}

/** Without /proc, the cause of a refusal is unknown. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The kernel writes a space in a path as `\040`. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
}
