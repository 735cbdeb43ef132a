import type { PackageName } from '../bundled-licenses.ts';
import type { Component } from './components.ts';

interface Root extends PackageName {
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * The components as a CycloneDX document. It has no time and no serial number, so that the same package has the same
 * document.
 */
export function billOfMaterials(root: Root, components: readonly Component[]): object {
  const direct = components.filter(
    ({ name, isInstalled }) => !isInstalled || name in root.dependencies,
  );
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        'bom-ref': packageUrl(root),
        type: 'application',
        name: root.name,
        version: root.version,
        description: root.description,
        licenses: [{ license: { id: root.license } }],
        purl: packageUrl(root),
      },
    },
    components: components.map(entryOf),
    dependencies: [{ ...root, dependencies: direct }, ...components].map((one) => ({
      ref: packageUrl(one),
      dependsOn: one.dependencies.map(packageUrl),
    })),
  };
}

function entryOf(component: Component): object {
  const { name, version, license, integrity, isInstalled, bundledIn } = component;
  return {
    'bom-ref': packageUrl(component),
    type: 'library',
    name,
    version,
    scope: 'required',
    hashes: [
      { alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') },
    ],
    licenses: license === undefined ? [] : [{ license: { id: license } }],
    purl: packageUrl(component),
    properties: [
      { name: 'modreg:installed', value: String(isInstalled) },
      ...bundledIn.map((folder) => ({ name: 'modreg:bundled-in', value: folder })),
    ],
  };
}

function packageUrl({ name, version }: PackageName): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
