import { once } from 'node:events';
import { expect, it } from 'vitest';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { exported, line } from '../support/otlp-logs.ts';
import { serve } from '../support/served-process.ts';
import { tokenFor } from '../support/token.ts';

interface Page {
  readonly lines: readonly { readonly text: string }[];
  readonly next: number | null;
}

/** The texts of all lines that the registry at `address` has, the newest last. */
async function textsAt(address: string, authorization: string): Promise<string[]> {
  const texts: string[] = [];
  for (let query = 'limit=1000'; ;) {
    const answer = await fetch(`${address}/v1/fleet/logs?${query}`, { headers: { authorization } });
    const { lines, next } = (await answer.json()) as Page;
    texts.push(...lines.map(({ text }) => text));
    if (next === null) return texts.toReversed();
    query = `limit=1000&before=${next}`;
  }
}

it('[T711] a registry that is killed while machines send has each record that it acknowledged, once', async () => {
  const db = `${temporaryFolder()}/registry.db`;
  const catalogue = new Catalogue(db, { mode: 'create' });
  const authorization = `Bearer ${tokenFor(catalogue, ['machine:rover-7', 'logs:read'], 'rover-7')}`;
  catalogue.close();
  const acknowledged: string[] = [];
  for (let life = 0; life < 3; life++) {
    const { child, address } = await serve(db);
    const ended = once(child, 'exit');
    for (let batch = 0; child.exitCode === null && child.signalCode === null; batch++) {
      const lines = Array.from({ length: 20 }, (_, place) => line(`${life} ${batch} ${place}`));
      const send = async (): Promise<boolean> => {
        const headers = { authorization, 'content-type': 'application/json' };
        const body = exported(lines);
        const answer = await fetch(`${address}/v1/logs`, { method: 'POST', headers, body });
        return answer.ok;
      };
      const sent = send().catch(() => false);
      if (batch === 3 + life) child.kill('SIGKILL');
      // What was not acknowledged is not counted: it may be stored or not.
      if (!(await sent)) break;
      acknowledged.push(...lines.map(({ text }) => text));
    }
    await ended;
  }
  const { address } = await serve(db);
  const texts = await textsAt(address, authorization);
  expect(acknowledged.length).toBeGreaterThanOrEqual((3 + 4 + 5) * 20);
  expect(new Set(texts).size).toBe(texts.length);
  expect(acknowledged.filter((text) => !texts.includes(text))).toEqual([]);
});
