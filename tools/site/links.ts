import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

interface Html {
  readonly ids: ReadonlySet<string>;
  readonly targets: readonly string[];
}

function read(folder: string, path: string): Html {
  const text = readFileSync(join(folder, path), 'utf8');
  const values = (pattern: RegExp): string[] =>
    Array.from(text.matchAll(pattern), ([, value = '']) => value);
  return {
    ids: new Set(values(/<[a-z][^>]* id="([^"]*)"/g)),
    targets: values(/<[a-z][^>]* (?:href|src|action)="([^"]*)"/g),
  };
}

/** Each link of these pages to a file or an anchor that the folder does not have. */
export function brokenLinks(folder: string, paths: readonly string[]): string[] {
  const pages = new Map(paths.map((path) => [path, read(folder, path)]));
  return Array.from(pages, ([from, { targets }]) =>
    targets
      .filter((target) => !/^(https?|mailto|data):/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#');
        const to = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path));
        if (!existsSync(join(folder, to))) return true;
        const id = decodeURIComponent(anchor ?? '');
        return anchor !== undefined && !pages.get(to)?.ids.has(id);
      })
      .map((target) => `${from}: nothing is at the link ${target}`),
  ).flat();
}
