import { createHash } from 'node:crypto';
import type { Hono } from 'hono';
import type { Assets } from './views/layout.tsx';

/** The content of the style and the script. */
export interface AssetFiles {
  readonly style: string;
  readonly script: string;
}

const TYPES = { style: ['css', 'text/css'], script: ['js', 'text/javascript'] } as const;

/** Serves the assets, and returns their addresses. An address contains a hash, so that its content never changes. */
export function assetRoutes(app: Hono, files: AssetFiles): Assets {
  const serve = (kind: keyof AssetFiles): string => {
    const [extension, type] = TYPES[kind];
    const text = files[kind];
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    const path = `/assets/${hash}.${extension}`;
    const headers = {
      'content-type': `${type}; charset=utf-8`,
      'cache-control': 'public, max-age=31536000, immutable',
    };
    app.get(path, (c) => c.body(text, { headers }));
    return path;
  };
  return { style: serve('style'), script: serve('script') };
}
