import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { machineOnPage } from '../../../src/page/machine/machine-on-page.ts';
import { pageApp } from '../../../src/page/app.ts';
import { quietWorld } from '../../support/quiet-world.ts';

interface Paged {
  /** The folder with machine.db, into which the documents are written. */
  readonly home: string;
  readonly now: number;
  /** The document, or its text. */
  readonly machine: object | string;
  readonly policy?: object;
  /** By default one that is not reached. */
  readonly registry?: string;
}

/** The page of the machine in `home`. */
export function machinePage({
  home,
  now,
  machine,
  policy,
  registry = 'https://registry.example',
}: Paged): Hono {
  const path = join(home, 'machine.json');
  const text = typeof machine === 'string' ? machine : JSON.stringify(machine);
  writeFileSync(path, text, { mode: 0o600 });
  if (policy) writeFileSync(join(home, 'policy.json'), JSON.stringify(policy));
  const environment = { PLATFORM_HOME: home };
  const world = { ...quietWorld('linux/arm64'), environment, clock: () => now };
  const machineAt = machineOnPage(path, { registry }, world);
  return pageApp(machineAt, { assets: { style: '', script: '' }, access: undefined });
}

/** The text of the page at `path` below its header, one line for each element that begins a line. */
export async function textOf(app: Hono, path: string): Promise<string[]> {
  return linesOf(await (await app.request(path)).text());
}

/** The same of a whole page. */
export function linesOf(html: string): string[] {
  const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(html) ?? [];
  return main
    .replaceAll(/<(p|h1|h2|li|tr|div|dt|section|option|summary)\b[^>]*>/g, '\n')
    .replaceAll(/<\/(td|th|dt)>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
