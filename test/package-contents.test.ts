import { readFileSync, readdirSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type Schema } from 'ajv';
import { describe, expect, it } from 'vitest';
import { billOfMaterials } from '../tools/contents/bill-of-materials.ts';
import { componentsOf, type Component } from '../tools/contents/components.ts';
import { licenseProblems } from '../tools/contents/licenses.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT } from './support/modreg.ts';

const SCHEMAS = join(ROOT, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
const MODULE = /^\/\/ (?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/gm;
const BANNER = /^\/\/ Packages: (.+)/;
const DIGEST = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;

const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Parameters<
  typeof billOfMaterials
>[0];

/** The packages whose modules the files of a folder of dist contain, by their comments: valibot has none of its own. */
function packagesIn(folder: string): string[] {
  const files = readdirSync(join(ROOT, folder)).filter((name) => /\.c?js$/.test(name));
  const texts = files.map((name) => readFileSync(join(ROOT, folder, name), 'utf8'));
  const modules = texts.flatMap((text) => Array.from(text.matchAll(MODULE), ([, one]) => one));
  const banners = texts.flatMap((text) => BANNER.exec(text)?.[1]?.split(' '));
  return [...new Set([...modules, ...banners])].filter((one) => one !== undefined).toSorted();
}

function schema(name: string): Schema {
  return JSON.parse(readFileSync(join(SCHEMAS, `${name}.SNAPSHOT.schema.json`), 'utf8')) as Schema;
}

function namesOf(components: readonly Component[]): string[] {
  return components.map(({ name, version }) => `${name} ${version}`);
}

/** A built package in a folder of its own. */
function built(packages: Readonly<Record<string, object>>, licenses: string): string {
  const root = temporaryFolder();
  mkdirSync(join(root, 'dist/cli'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
  writeFileSync(join(root, 'dist/LICENSES.txt'), licenses);
  writeFileSync(join(root, 'dist/cli/LICENSES.txt'), licenses);
  return root;
}

describe('what the package contains or installs', () => {
  it('names no folder of tests, and so no stand-ins', () => {
    // A cast: the type above has only what a bill of materials reads.
    const { files } = PACKAGE as unknown as { readonly files: readonly string[] };
    expect(files.filter((one) => /^(test|mocks|tools|benchmarks)\b/.test(one))).toEqual([]);
  });

  it.each(['dist/cli', 'dist/shared'])('lists the packages that are bundled in %s', (folder) => {
    const listed = componentsOf(ROOT).filter(({ bundledIn }) =>
      bundledIn.includes(folder.replace('/shared', '')),
    );
    expect(listed.map(({ name }) => name)).toEqual(packagesIn(folder));
    expect(listed.length).toBeGreaterThan(0);
  });

  it('follows dependencies and peers as Node does, and leaves out development', () => {
    const root = built(
      {
        '': { dependencies: { a: '1.0.0' }, devDependencies: { tool: '1.0.0', c: '9.0.0' } },
        'node_modules/a': {
          version: '1.0.0',
          dependencies: { b: '^1.0.0' },
          optionalDependencies: { '@scope/d': '^1.0.0' },
          peerDependencies: { c: '*', tool: '*' },
          peerDependenciesMeta: { tool: { optional: true } },
        },
        'node_modules/a/node_modules/b': { version: '1.5.0', dependencies: { c: '^1.0.0' } },
        'node_modules/b': { version: '2.0.0', dev: true },
        'node_modules/c': { version: '1.2.0' },
        'node_modules/@scope/d': { version: '1.0.0' },
        'node_modules/e': { version: '3.0.0', dev: true },
        'node_modules/tool': { version: '1.0.0', dev: true },
      },
      'e 3.0.0\n\nits license\n',
    );
    const found = componentsOf(root);
    expect(namesOf(found)).toEqual(['@scope/d 1.0.0', 'a 1.0.0', 'b 1.5.0', 'c 1.2.0', 'e 3.0.0']);
    expect(found.filter(({ isInstalled }) => !isInstalled).map(({ name }) => name)).toEqual(['e']);
    expect(found.find(({ name }) => name === 'e')?.bundledIn).toEqual(['dist', 'dist/cli']);
  });

  it('does not guess the digest of a bundled package that is not locked', () => {
    const packages = { '': {}, 'node_modules/e': { version: '3.0.1' } };
    expect(() => componentsOf(built(packages, 'e 3.0.0\n'))).toThrow(
      'dist contains e 3.0.0, which is not in package-lock.json',
    );
  });
});

describe('licenses', () => {
  it('allows those of this package', () => {
    expect(licenseProblems(componentsOf(ROOT))).toEqual([]);
  });

  it.each([
    ['GPL-3.0-only', 'has the license "GPL-3.0-only"'],
    ['(MIT OR GPL-3.0-only)', 'has the license "(MIT OR GPL-3.0-only)"'],
    ['SEE LICENSE IN LICENSE', 'has the license "SEE LICENSE IN LICENSE"'],
    [undefined, 'names no license'],
  ])('refuses %s', (license, found) => {
    const lock = { version: '1.3.0', license };
    const allowed =
      'allowed are 0BSD, Apache-2.0, BSD-2-Clause, BSD-3-Clause, BlueOak-1.0.0, ISC, MIT';
    const bundled = built({ '': {}, 'node_modules/left-pad': lock }, 'left-pad 1.3.0\n');
    expect(licenseProblems(componentsOf(bundled))).toEqual([
      `left-pad 1.3.0, which dist contains, ${found}; ${allowed}`,
    ]);
    const root = { dependencies: { 'left-pad': '1.3.0' } };
    const installed = built({ '': root, 'node_modules/left-pad': lock }, 'left-pad 1.3.0\n');
    expect(licenseProblems(componentsOf(installed))).toEqual([
      `left-pad 1.3.0, which modreg installs, ${found}; ${allowed}`,
    ]);
  });
});

describe('the bill of materials', () => {
  it('is a CycloneDX 1.6 document', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    for (const name of ['spdx', 'jsf-0.82']) {
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    }
    const validate = ajv.compile(schema('bom-1.6'));
    validate(billOfMaterials(PACKAGE, componentsOf(ROOT)));
    expect(validate.errors).toBeNull();
    validate(billOfMaterials({ ...PACKAGE, license: 'no such license' }, []));
    expect(validate.errors).not.toBeNull();
  });

  it('has the package, its digest, its dependencies and where its code is', () => {
    const lock = { version: '1.0.0', license: 'MIT', integrity: DIGEST };
    const packages = {
      '': { dependencies: { '@scope/a': '1.0.0' } },
      'node_modules/@scope/a': { ...lock, dependencies: { b: '1.0.0' } },
      'node_modules/b': lock,
      'node_modules/c': lock,
    };
    const root = { ...PACKAGE, version: '0.9.0', dependencies: { '@scope/a': '1.0.0' } };
    const bill = billOfMaterials(root, componentsOf(built(packages, 'c 1.0.0\n')));
    const [a, , c] = (bill as { readonly components: readonly object[] }).components;
    expect(a).toEqual({
      'bom-ref': 'pkg:npm/%40scope/a@1.0.0',
      type: 'library',
      name: '@scope/a',
      version: '1.0.0',
      scope: 'required',
      hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }],
      licenses: [{ license: { id: 'MIT' } }],
      purl: 'pkg:npm/%40scope/a@1.0.0',
      properties: [{ name: 'modreg:installed', value: 'true' }],
    });
    expect(c).toMatchObject({
      properties: [
        { name: 'modreg:installed', value: 'false' },
        { name: 'modreg:bundled-in', value: 'dist' },
        { name: 'modreg:bundled-in', value: 'dist/cli' },
      ],
    });
    expect(bill).toMatchObject({
      dependencies: [
        { ref: 'pkg:npm/modreg@0.9.0', dependsOn: ['pkg:npm/%40scope/a@1.0.0', 'pkg:npm/c@1.0.0'] },
        { ref: 'pkg:npm/%40scope/a@1.0.0', dependsOn: ['pkg:npm/b@1.0.0'] },
        { ref: 'pkg:npm/b@1.0.0', dependsOn: [] },
        { ref: 'pkg:npm/c@1.0.0', dependsOn: [] },
      ],
    });
  });
});
