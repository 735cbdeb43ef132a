import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, brotliDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Hono } from 'hono';
import { pageApp } from '../../src/page/app.ts';
import { testSite } from '../page/support/site-page.ts';
import { largePlan } from './support/large-plan.ts';
import { ROOT } from '../support/modreg.ts';
import { pagedPlan } from '../support/paged-plan.ts';

const FILES = {
  style: readFileSync(join(ROOT, 'dist/cli/page.css'), 'utf8'),
  script: readFileSync(join(ROOT, 'dist/cli/page.js'), 'utf8'),
  wall: readFileSync(join(ROOT, 'dist/cli/wall.css'), 'utf8'),
};

interface Received {
  readonly encoding: string | null;
  readonly bytes: Buffer;
}

type Visit = (path: string, encodings?: string) => Promise<Received>;

function visitor(modules: number): Visit {
  return visitorOf(pageApp(pagedPlan(largePlan(modules)), { assets: FILES, access: undefined }));
}

function visitorOf(app: Hono): Visit {
  return async (path, encodings = 'gzip, deflate, br, zstd') => {
    const answer = await app.request(path, { headers: { 'accept-encoding': encodings } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    expect(answer.headers.get('vary')).toBe('accept-encoding');
    return { encoding: answer.headers.get('content-encoding'), bytes };
  };
}

/** The assets and the documents that a page loads, besides the feed. */
function loadedBy(html: string): string[] {
  return Array.from(html.matchAll(/(?:src|href)="([^"]*)"/g), ([, to = '']) => to).filter((to) =>
    to.startsWith('/assets/'),
  );
}

describe('the size of the page', () => {
  it('is at most 20 kB in 4 requests for 30 modules, of which the style has 4 kB and the script 5 kB', async () => {
    const get = visitor(30);
    const page = await get('/');
    const html = brotliDecompressSync(page.bytes).toString();
    const [style = '', script = '', ...more] = loadedBy(html);
    // The page, the style, the script and the feed are four requests.
    expect(more).toEqual([]);
    expect(html).not.toMatch(/<(img|iframe|object)|@import|url\(/);
    const sizes = [page, await get(style), await get(script)].map(({ bytes }) => bytes.length);
    expect(sizes[1]).toBeLessThanOrEqual(4000);
    expect(sizes[2]).toBeLessThanOrEqual(5000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(20_000);
  });

  it('is at most 40 kB for 1,000 modules', async () => {
    const { encoding, bytes } = await visitor(1000)('/');
    expect(encoding).toBe('br');
    expect(brotliDecompressSync(bytes).toString().split('<tr id=')).toHaveLength(1001);
    expect(bytes.length).toBeLessThanOrEqual(40_000);
  });

  it('[D215] is at most 30 kB in 3 requests for a wall of 500 machines that all fail', async () => {
    const site = testSite(FILES);
    for (let place = 0; place < 500; place++) {
      const reason = `motor ${place} stalled`;
      const failing = { version: `1.3.${place}`, blame: 'release', reason, next_at: null };
      await site.report(`rover-of-the-${place}-th-hall`, [{ failing }]);
    }
    const get = visitorOf(site.app);
    const page = await get('/wall');
    const html = brotliDecompressSync(page.bytes).toString();
    const files = loadedBy(html);
    expect([html.split('<li ').length > 500, files.length]).toEqual([true, 2]);
    const sizes = [page.bytes.length];
    for (const path of files) sizes.push((await get(path)).bytes.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(30_000);
  });

  it('is compressed as the browser asks', async () => {
    const get = visitor(3);
    const plain = await get('/', '');
    expect(plain.encoding).toBeNull();
    const packed = await get('/', 'gzip;q=1.0, br;q=0');
    expect([packed.encoding, gunzipSync(packed.bytes).toString()]).toEqual([
      'gzip',
      plain.bytes.toString(),
    ]);
  });
});
