import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { Assets } from './views/layout.tsx';

/** The content of the style and the script. */
export interface AssetFiles {
  readonly style: string;
  readonly script: string;
}

/** The same, and the style of the wall of a site. */
export interface SiteAssetFiles extends AssetFiles {
  readonly wall: string;
}

const STYLE = ['css', 'text/css'] as const;
const TYPES = { style: STYLE, wall: STYLE, script: ['js', 'text/javascript'] } as const;

/** Serves the assets, and returns their addresses. An address contains a hash, so that its content never changes. */
export function assetRoutes(app: Hono, { style, script }: AssetFiles): Assets {
  return { style: served(app, 'style', style), script: served(app, 'script', script) };
}

/** Serves an asset, and returns its address. */
export function served(app: Hono, kind: keyof typeof TYPES, text: string): string {
  const [extension, type] = TYPES[kind];
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  const path = `/assets/${hash}.${extension}`;
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    'cache-control': 'public, max-age=31536000, immutable',
  };
  app.get(path, (c) => c.body(text, { headers }));
  return path;
}
