import { readFileSync } from 'node:fs';
import type { SiteAssetFiles } from '../../page/assets.ts';
import { packageFile } from '../package-file.ts';

/** The styles and the script of the pages, which a build writes. */
export function pageAssets(): SiteAssetFiles {
  return { style: built('page.css'), script: built('page.js'), wall: built('wall.css') };
}

function built(name: string): string {
  return readFileSync(packageFile(`dist/cli/${name}`), 'utf8');
}
