import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FOLDERS, pathsIn, prefetchMark, removePackage } from './package-store.ts';

const DAY_MS = 86_400_000;
/** How long a package is kept that nothing runs any more, and how many of one module. */
const PACKAGE_MS = 7 * DAY_MS;
const MOST_OTHERS = 2;
/** How long what was downloaded is kept, so that a download can be resumed. */
const DOWNLOAD_MS = 3 * DAY_MS;

export interface RetentionTerms {
  /** The folders of packages that stay: current, previous and candidate ones. */
  readonly kept: ReadonlySet<string>;
  /** Those of the releases that the last plan deploys, which stay as well; undefined if there is none yet. */
  readonly upcoming?: ReadonlySet<string> | undefined;
  readonly now: number;
}

/**
 * Removes what installations left below `home`: packages that need not stay, except the two newest others of each module for
 * seven days; downloads of more than three days ago; and all that was not installed completely. What was prefetched goes once
 * the plan deploys another release of its module (D78). Not while an installation runs. Returns the folders of the packages
 * that it removed.
 */
export async function removeUnused(home: string, terms: RetentionTerms): Promise<string[]> {
  await rm(join(home, FOLDERS.staging), { recursive: true, force: true });
  await removeDownloads(join(home, FOLDERS.downloads), terms.now);
  const removed: string[] = [];
  for (const module of await modulesIn(join(home, FOLDERS.packages))) {
    for (const root of await unusedIn(module, terms)) {
      await removePackage(root, home);
      removed.push(root);
    }
  }
  return removed;
}

async function removeDownloads(folder: string, now: number): Promise<void> {
  for (const { path, changedAt } of await agesIn(await pathsIn(folder, 'file'))) {
    if (now - changedAt > DOWNLOAD_MS) await rm(path);
  }
}

/** The folders of modules: `packages/<namespace>/<name>`. */
async function modulesIn(packages: string): Promise<string[]> {
  const namespaces = await pathsIn(packages, 'folder');
  const modules = await Promise.all(namespaces.map(async (one) => await pathsIn(one, 'folder')));
  return modules.flat();
}

/** The folders of all packages below `home`. */
export async function packagesBelow(home: string): Promise<string[]> {
  const modules = await modulesIn(join(home, FOLDERS.packages));
  const packages = await Promise.all(modules.map(async (one) => await pathsIn(one, 'folder')));
  return packages.flat();
}

async function unusedIn(
  module: string,
  { kept, upcoming, now }: RetentionTerms,
): Promise<string[]> {
  const others = (await agesIn(await pathsIn(module, 'folder'))).filter(
    ({ path }) => !kept.has(path) && !upcoming?.has(path),
  );
  // Before the first plan it is not known which of them are superseded.
  const prefetched = others.filter(({ path }) => existsSync(prefetchMark(path)));
  const isSuperseded = [...(upcoming ?? [])].some((path) => dirname(path) === module);
  const newest = others
    .filter((one) => !prefetched.includes(one))
    .toSorted((one, other) => other.changedAt - one.changedAt);
  const old = newest.filter(
    ({ changedAt }, place) => place >= MOST_OTHERS || now - changedAt > PACKAGE_MS,
  );
  const gone = prefetched.filter(
    ({ changedAt }) => isSuperseded || (upcoming && now - changedAt > PACKAGE_MS),
  );
  return [...gone, ...old].map(({ path }) => path);
}

/** When files or folders were written. Nothing writes into a package after its installation. */
async function agesIn(
  paths: readonly string[],
): Promise<{ readonly path: string; readonly changedAt: number }[]> {
  return await Promise.all(
    paths.map(async (path) => ({ path, changedAt: (await stat(path)).mtimeMs })),
  );
}
