/*
 * Installs a package of npm that was not made for modreg, with npm's own release list, and runs its program:
 * `npm run test:npm-package`. Prints how long the steps take.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { arch, tmpdir } from 'node:os';
import { installPackage } from '../src/agent/install/install-package.ts';
import {
  indexReleases,
  parseConstraint,
  parseModuleId,
  parsePlatform,
  resolve,
} from '../src/core/index.ts';
import { artifactFor } from '../src/core/releases/release.ts';
import { openRegistries } from '../src/registry/index.ts';

const address = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
const platform = parsePlatform(`linux/${arch()}`);
const moduleId = parseModuleId(`esbuild:linux-${arch()}`);
const constraint = parseConstraint('0.25.*');
if (!platform.ok || !moduleId.ok || !constraint.ok) {
  throw new Error(`expected linux/amd64 or linux/arm64, found linux/${arch()}`);
}
const allowHttp = [new URL(address).host];
const registry = openRegistries().open({ registry: `npm:${address}`, allowHttp });
if (!registry.ok) throw registry.error;
const { records } = await registry.value.read(moduleId.value);
const eligibility = { now: Date.now(), platform: platform.value };
const selection = resolve(constraint.value, indexReleases(records), eligibility);
if (selection.kind !== 'resolved')
  throw new Error(`the list has no release of 0.25 for ${platform.value}`);
const { release } = selection;
const version = release.version.text;
const artifact = artifactFor(release, platform.value);
const home = mkdtempSync(`${tmpdir()}/modreg-npm-`);
const began = performance.now();
let last = '';
const result = await installPackage({
  artifact,
  home,
  root: `${home}/packages/esbuild/${version}`,
  command: ['bin/esbuild', '--version'],
  platform: platform.value,
  fetch: { allowHttp },
  signal: AbortSignal.timeout(120_000),
  onStep: ({ kind }) => {
    if (kind !== last) console.log(`${Math.round(performance.now() - began)} ms: ${kind}`);
    last = kind;
  },
});
if (!result.ok) throw new Error(result.error.reason);
const printed = execFileSync(result.value.entryPoint, result.value.arguments, { encoding: 'utf8' });
rmSync(home, { recursive: true });
if (printed.trim() !== version) throw new Error(`the program printed ${printed}`);
console.log(`installed esbuild ${printed.trim()} and ran it`);
