import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { COMPLETION_SCRIPTS } from '../../src/cli/completion/completion-scripts.ts';
import { licensesWith } from '../bundled-licenses.ts';
import { PACKAGES_APART } from '../packages-apart.ts';
import { commandTree } from './command-tree.ts';
import { controlFile, copyrightFile, debianChangelog, type Release } from './debian-texts.ts';
import { manPages } from './man-pages.ts';

export interface PackageOptions {
  /** The built clone. */
  readonly root: string;
  /** The folder of Node, with `bin/node` and `LICENSE`. */
  readonly node: string;
  /** Debian's name. */
  readonly architecture: string;
  readonly release: Release;
  /** The version that the package claims. */
  readonly version: string;
}

const HOME = 'usr/lib/modreg';
const DOCUMENTATION = 'usr/share/doc/modreg';
const UNITS = ['modreg-agent.service', 'modreg-registry.service'];
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
/** Where each shell finds its script, below `usr/share`. */
const COMPLETIONS: Readonly<Record<keyof typeof COMPLETION_SCRIPTS, string>> = {
  bash: 'bash-completion/completions/modreg',
  zsh: 'zsh/vendor-completions/_modreg',
  fish: 'fish/vendor_completions.d/modreg.fish',
};
const KIBIBYTE = 1024;

/** Writes what `dpkg-deb --build` packs to `tree`. Its bytes, modes and times depend on the options alone. */
export function writePackageTree(tree: string, options: PackageOptions): void {
  const { version: built } = options.release;
  writeProgram(join(tree, HOME), { ...options, version: built });
  write(tree, 'usr/bin/modreg', own('modreg'), 0o755);
  writeDocumentation(tree, options);
  for (const unit of UNITS) write(tree, `usr/lib/systemd/system/${unit}`, own(unit));
  write(tree, 'usr/share/lintian/overrides/modreg', own('lintian-overrides'));
  mkdirSync(join(tree, 'etc/modreg'), { recursive: true });
  const { architecture, version } = options;
  const { sums, kibibytes } = measured(tree);
  write(tree, 'DEBIAN/control', controlFile(version, architecture, kibibytes));
  write(tree, 'DEBIAN/md5sums', sums);
  for (const script of SCRIPTS) write(tree, `DEBIAN/${script}`, own(script), 0o755);
  settle(tree, options.release.at);
}

/** A file of this folder. */
function own(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

/** Writes the program with its Node to `home`. */
export function writeProgram(
  home: string,
  { root, node, version }: Pick<PackageOptions, 'root' | 'node' | 'version'>,
): void {
  const copy = (from: string, to: string): void => cpSync(from, join(home, to));
  mkdirSync(join(home, 'bin'), { recursive: true });
  for (const name of ['modreg', 'modreg.mjs']) copy(join(root, 'bin', name), `bin/${name}`);
  copy(join(node, 'bin/node'), 'bin/node');
  for (const name of globSync('*.{cjs,css,js}', { cwd: join(root, 'dist/cli') })) {
    copy(join(root, 'dist/cli', name), `dist/cli/${name}`);
  }
  for (const name of PACKAGES_APART) {
    const at = join('node_modules', name);
    // The main file is all that it loads.
    const { main } = JSON.parse(readFileSync(join(root, at, 'package.json'), 'utf8')) as {
      readonly main: string;
    };
    for (const file of ['package.json', main]) copy(join(root, at, file), join(at, file));
  }
  write(home, 'package.json', `${JSON.stringify({ name: 'modreg', version })}\n`);
}

/** The licenses of the packages that a program of `writeProgram` contains. */
export function programLicenses(root: string): string {
  return licensesWith(PACKAGES_APART, { root, folder: 'dist/cli' });
}

function writeDocumentation(tree: string, { root, node, release, version }: PackageOptions): void {
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const { files } = JSON.parse(text('package.json')) as { readonly files: readonly string[] };
  for (const folder of ['docs', 'examples']) {
    cpSync(join(root, folder), join(tree, DOCUMENTATION, folder), {
      recursive: true,
      filter: (path) => !files.includes(`!${path.slice(root.length + 1)}`),
    });
  }
  write(tree, `${DOCUMENTATION}/README.md`, text('README.md'));
  write(tree, `${DOCUMENTATION}/CHANGELOG.md.gz`, compressed(text('CHANGELOG.md')));
  write(
    tree,
    `${DOCUMENTATION}/changelog.gz`,
    compressed(debianChangelog({ ...release, version })),
  );
  const licenses = programLicenses(root);
  const copyright = copyrightFile(readFileSync(join(node, 'LICENSE'), 'utf8'), licenses);
  write(tree, `${DOCUMENTATION}/copyright`, copyright);
  const commands = commandTree();
  for (const [shell, path] of Object.entries(COMPLETIONS)) {
    write(
      tree,
      `usr/share/${path}`,
      `${COMPLETION_SCRIPTS[shell as keyof typeof COMPLETION_SCRIPTS]}\n`,
    );
  }
  const date = release.at.toISOString().slice(0, 10);
  for (const page of manPages(commands, { version: release.version, date })) {
    write(tree, `usr/share/man/man1/${page.file}.gz`, compressed(page.text));
  }
}

function write(tree: string, path: string, content: string | Buffer, mode = 0o644): void {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
}

function compressed(text: string): Buffer {
  return gzipSync(text, { level: 9 });
}

function pathsIn(tree: string): string[] {
  return globSync('**', { cwd: tree }).toSorted();
}

/** The checksums of all files, and the room that they take, as dpkg counts it. */
function measured(tree: string): { readonly sums: string; readonly kibibytes: number } {
  const entries = pathsIn(tree).map((path) => ({ path, stat: lstatSync(join(tree, path)) }));
  const sizes = entries.map(({ stat }) => (stat.isFile() ? Math.ceil(stat.size / KIBIBYTE) : 1));
  const lines = entries
    .filter(({ stat }) => stat.isFile())
    .map(({ path }) => `${md5Of(join(tree, path))}  ${path}\n`);
  return { sums: lines.join(''), kibibytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function md5Of(file: string): string {
  return createHash('md5').update(readFileSync(file)).digest('hex');
}

/** Gives everything the modes and times that do not depend on the clone, its umask and the clock. */
export function settle(tree: string, at: Date): void {
  for (const path of pathsIn(tree).toReversed()) {
    const file = join(tree, path);
    const stat = lstatSync(file);
    const isExecutable = stat.isDirectory() || (stat.mode & 0o100) !== 0;
    if (!stat.isSymbolicLink()) chmodSync(file, isExecutable ? 0o755 : 0o644);
    lutimesSync(file, at, at);
  }
  chmodSync(tree, 0o755);
}
