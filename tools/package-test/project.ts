import { deepStrictEqual, ok } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBrowserBundles } from './browser-bundles.ts';
import { installNode26 } from './node-26.ts';
import { componentsOf } from '../contents/components.ts';

const ROOT = join(import.meta.dirname, '../..');
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly exports: { readonly './server': { readonly default: string } };
};
const QUIET = '--silent --no-audit --no-fund';
/** Of the tarball: 1,393 kB on 2026-11-30. */
const LARGEST_TARBALL = 1_400_000;
/** What a user installs beside modreg. */
const TOOLS = [
  ...['typescript', '@types/node', 'rolldown'].map(
    (name) => `${name}@${PACKAGE.devDependencies[name]}`,
  ),
  'esbuild@0.28.2',
  'vite@8.3.8',
];

/** Everything that `strict` leaves out. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  rewriteRelativeImportExtensions: true,
  skipLibCheck: false,
  rootDir: 'src',
  outDir: 'plain',
};

/** How the sample agent was built. */
interface Build {
  readonly name: string;
  readonly script: string;
}

export interface Project {
  readonly builds: readonly Build[];
  /** Programs of Node, each with its version. */
  readonly nodes: readonly { readonly version: string; readonly path: string }[];
  /** The entry point of the installed `modreg/server`. */
  readonly server: string;
}

/** Installs the packed package in a new project in `folder`, and builds the sample agent in it in each way. */
export async function newProject(folder: string): Promise<Project> {
  const project = join(folder, 'project');
  mkdirSync(project);
  const tarball = run(ROOT, `npm pack --silent --ignore-scripts --pack-destination ${folder}`);
  const { size } = statSync(join(folder, tarball));
  ok(size <= LARGEST_TARBALL, `${tarball} has ${size} bytes of ${LARGEST_TARBALL}`);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  run(project, `npm install ${QUIET} ../${tarball}`);
  checkInstalled(project);
  run(project, `npm install ${QUIET} --save-dev ${TOOLS.join(' ')}`);
  const selected = run(project, "npx --no modreg resolve acme:cam '1.0.*'");
  deepStrictEqual(run(project, "npx --no resolve acme:cam '1.0.*'"), selected, 'resolve');
  const modreg = join(project, 'node_modules/modreg');
  cpSync(join(modreg, 'examples/own-agent'), join(project, 'src'), { recursive: true });
  const configuration = { compilerOptions: COMPILER_OPTIONS, include: ['src'] };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(configuration));
  await checkBrowserBundles(project, (cwd, command) => run(cwd, `${command} 2>&1`));
  return {
    builds: buildsIn(project),
    nodes: nodesIn(folder),
    server: join(modreg, PACKAGE.exports['./server'].default),
  };
}

/** Checks that the bill of materials has exactly what was installed. */
function checkInstalled(project: string): void {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly version?: string }>>;
  };
  const installed = Object.entries(packages)
    .filter(([path]) => path !== '' && path !== 'node_modules/modreg')
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`);
  const listed = componentsOf(ROOT)
    .filter(({ isInstalled }) => isInstalled)
    .map(({ name, version }) => `${name} ${version}`);
  deepStrictEqual(installed.toSorted(), listed.toSorted(), 'packages that modreg installs');
}

/** Builds with the fewest options that a program for Node needs, and with some more. */
function buildsIn(project: string): Build[] {
  const esbuild = 'npx --no esbuild src/agent.ts --bundle --platform=node';
  const rolldown = 'npx --no rolldown src/agent.ts';
  run(project, 'npx --no tsc');
  run(project, `${esbuild} --outfile=esbuild/agent.cjs`);
  run(project, `${esbuild} --format=esm --outfile=esbuild/agent.mjs`);
  run(project, `${rolldown} --dir rolldown`);
  run(project, `${rolldown} --platform node --dir rolldown-node`);
  return [
    { name: 'tsc', script: 'plain/agent.js' },
    { name: 'esbuild', script: 'esbuild/agent.cjs' },
    { name: 'esbuild as ESM', script: 'esbuild/agent.mjs' },
    { name: 'rolldown', script: 'rolldown/agent.js' },
    { name: 'rolldown for Node', script: 'rolldown-node/agent.js' },
  ].map(({ name, script }) => ({ name, script: join(project, script) }));
}

function nodesIn(folder: string): Project['nodes'] {
  const paths = [process.execPath, installNode26(folder)];
  return paths.map((path) => ({ version: run(folder, `'${path}' --version`), path }));
}

/** What a command prints. Throws an Error with all its output if it fails. */
function run(cwd: string, command: string): string {
  console.log(`$ ${command}`);
  const { status, stdout, stderr } = spawnSync(command, { cwd, encoding: 'utf8', shell: true });
  if (status === 0) return stdout.trim();
  throw new Error(`${command} ended with ${status}\n${stdout}${stderr}`);
}
