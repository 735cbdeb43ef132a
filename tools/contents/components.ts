import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundledIn, type PackageName } from '../bundled-licenses.ts';

/** A package that users of modreg get: installed with it, or as a part of its files. */
export interface Component extends PackageName {
  /** As its package.json says; undefined if it says nothing. */
  readonly license: string | undefined;
  /** `sha512-` and base64, as in package-lock.json. */
  readonly integrity: string;
  readonly isInstalled: boolean;
  /** The folders of the package whose files contain its code. */
  readonly bundledIn: readonly string[];
  /** Those of its dependencies that are components too. */
  readonly dependencies: readonly PackageName[];
}

/** An entry of package-lock.json. */
interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

type Lock = Readonly<Record<string, Locked>>;

const MODULES = 'node_modules/';
const BUNDLES = ['dist', 'dist/cli'];

/** What the package that is built in `root` contains or installs, by name. */
export function componentsOf(root: string): Component[] {
  const lock = lockOf(root);
  const installed = installedPaths(lock);
  const bundles = BUNDLES.map((folder) => ({
    folder,
    paths: bundledIn(join(root, folder)).map((one) => pathOf(lock, one)),
  }));
  const paths = [...new Set([...installed, ...bundles.flatMap((bundle) => bundle.paths)])];
  return paths.toSorted().map((path) => {
    const { name, version } = nameAt(lock, path);
    const { license, integrity = '' } = lock[path] ?? {};
    const isInstalled = installed.includes(path);
    const places = bundles.filter((bundle) => bundle.paths.includes(path));
    const dependencies = dependenciesOf(lock, path).filter((one) => paths.includes(one));
    return {
      name,
      version,
      license,
      integrity,
      isInstalled,
      bundledIn: places.map(({ folder }) => folder),
      dependencies: dependencies.map((one) => nameAt(lock, one)),
    };
  });
}

function lockOf(root: string): Lock {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return (JSON.parse(text) as { readonly packages: Lock }).packages;
}

/** The packages that an installation of modreg brings along. */
function installedPaths(lock: Lock): string[] {
  // Iterating over a set also visits what is added during the iteration.
  const paths = new Set(dependenciesOf(lock, ''));
  for (const path of paths) {
    for (const dependency of dependenciesOf(lock, path)) paths.add(dependency);
  }
  return [...paths];
}

function dependenciesOf(lock: Lock, path: string): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    lock[path] ?? {};
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  const names = [dependencies, optionalDependencies].flatMap((group) => Object.keys(group ?? {}));
  return [...names, ...peers].map((name) => resolved(lock, path, name)).toSorted();
}

/** Where a package finds its dependency: in its own folder, or in one around it. */
function resolved(lock: Lock, from: string, name: string): string {
  const path = `${from === '' ? '' : `${from}/`}${MODULES}${name}`;
  if (lock[path]) return path;
  if (from === '') throw new Error(`package-lock.json has no ${name}; run npm install`);
  return resolved(lock, from.slice(0, Math.max(0, from.lastIndexOf(MODULES) - 1)), name);
}

function pathOf(lock: Lock, { name, version }: PackageName): string {
  const paths = Object.keys(lock).filter((path) => path.endsWith(`${MODULES}${name}`));
  const path = paths.find((one) => lock[one]?.version === version);
  if (path !== undefined) return path;
  throw new Error(`dist contains ${name} ${version}, which is not in package-lock.json`);
}

function nameAt(lock: Lock, path: string): PackageName {
  const name = path.slice(path.lastIndexOf(MODULES) + MODULES.length);
  return { name, version: lock[path]?.version ?? '' };
}
