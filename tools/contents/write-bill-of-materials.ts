/* Writes what the built package contains or installs to modreg.cdx.json, as CycloneDX: `npm run sbom`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from './bill-of-materials.ts';
import { componentsOf } from './components.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILE = 'modreg.cdx.json';

const root = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Parameters<
  typeof billOfMaterials
>[0];
const components = componentsOf(ROOT);
const document = `${JSON.stringify(billOfMaterials(root, components), undefined, 2)}\n`;
writeFileSync(join(ROOT, FILE), document);
console.log(`${FILE}: ${components.length} packages`);
