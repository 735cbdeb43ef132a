import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputAsset, OutputChunk } from 'rolldown';

const FILE = 'LICENSES.txt';
const BETWEEN = `\n${'-'.repeat(80)}\n\n`;
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/** The folders of the packages that the modules belong to. */
export function packagesIn(moduleIds: readonly string[]): string[] {
  return [...new Set(moduleIds.flatMap((id) => PACKAGE.exec(id) ?? []))].toSorted();
}

/** Writes the licenses of the packages that `output` contains to LICENSES.txt in `folder`. */
export function writeLicenses(
  output: readonly (OutputAsset | OutputChunk)[],
  folder: string,
): void {
  const moduleIds = output
    .filter((file): file is OutputChunk => file.type === 'chunk')
    .flatMap((chunk) => chunk.moduleIds);
  writeFileSync(join(folder, FILE), licensesOf(packagesIn(moduleIds)));
}

/** LICENSES.txt of `folder` of the clone `root`, and the licenses of `others`, which are installed in the clone. */
export function licensesWith(
  others: readonly string[],
  { root, folder }: { readonly root: string; readonly folder: string },
): string {
  const folders = others.map((name) => join(root, 'node_modules', name));
  return [readFileSync(join(root, folder, FILE), 'utf8'), licensesOf(folders)].join(BETWEEN);
}

function licensesOf(folders: readonly string[]): string {
  return folders.map(licenseOf).join(BETWEEN);
}

export interface PackageName {
  readonly name: string;
  readonly version: string;
}

/** The packages in LICENSES.txt of `folder`. */
export function bundledIn(folder: string): PackageName[] {
  const licenses = readFileSync(join(folder, FILE), 'utf8').split(BETWEEN);
  return licenses.map((license) => {
    const [name = '', version = ''] = license.slice(0, license.indexOf('\n')).split(' ');
    return { name, version };
  });
}

function licenseOf(folder: string): string {
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  const { name, version } = JSON.parse(text) as PackageName;
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`${folder} has no license file`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
