import type { Component } from './components.ts';

/** SPDX identifiers of licenses that ask for no more than keeping their text. */
const ALLOWED: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
];

/** Why the package must not be published with these components: a line for each one whose license is not allowed. */
export function licenseProblems(components: readonly Component[]): string[] {
  return components
    .filter(({ license }) => license === undefined || !ALLOWED.includes(license))
    .map(({ name, version, license, isInstalled }) => {
      const found = license === undefined ? 'names no license' : `has the license "${license}"`;
      const what = isInstalled ? 'which modreg installs' : 'which dist contains';
      return `${name} ${version}, ${what}, ${found}; allowed are ${ALLOWED.join(', ')}`;
    });
}
