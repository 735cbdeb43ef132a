import { readFileSync } from 'node:fs';
import type { AssetFiles } from '../../page/assets.ts';
import { packageFile } from '../package-file.ts';

/** The style and the script of the page, which a build writes. */
export function pageAssets(): AssetFiles {
  return { style: built('page.css'), script: built('page.js') };
}

function built(name: string): string {
  return readFileSync(packageFile(`dist/cli/${name}`), 'utf8');
}
