import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { oneOf, optionsOf } from '../options.ts';
import { ARCHITECTURES, type Architecture } from './node-of.ts';

/** The clone. */
export const ROOT: string = join(import.meta.dirname, '../..');

/** What the command line of a build says. */
export interface BuildOptions {
  readonly architecture: Architecture;
  /** The folder to write to, absolute. */
  readonly out: string;
  /** The version of package.json, and the one that is claimed. */
  readonly version: string;
  readonly claimed: string;
  readonly isFast: boolean;
}

/** A file of the clone. */
export function textOf(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

/** Reads the command line. `what` and `fast` are lines of its help. */
export function buildOptions(what: string, fast: string): BuildOptions {
  const help = `${what}
  --arch <name>     amd64 or arm64 (default: this machine's). Another one is downloaded from the npm registry
  --out <folder>    where to write it (default: the clone)
  --version <text>  the version that it claims (default: that of package.json)
  --fast            ${fast}`;
  const { values } = optionsOf(
    {
      options: {
        arch: { type: 'string' },
        out: { type: 'string', default: ROOT },
        version: { type: 'string' },
        fast: { type: 'boolean', default: false },
      },
    },
    help,
  );
  const own = ARCHITECTURES.find(({ node }) => node === process.arch);
  const { version } = JSON.parse(textOf('package.json')) as { readonly version: string };
  return {
    architecture: oneOf('--arch', values.arch ?? own?.name ?? process.arch, ARCHITECTURES),
    out: resolve(values.out),
    version,
    claimed: values.version ?? version,
    isFast: values.fast,
  };
}
