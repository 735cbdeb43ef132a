import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { changeFeed } from '../../src/server/catalogue/change-feed.ts';
import { Catalogue } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/folder.ts';
import { published } from '../support/published.ts';

it('new Catalogue(":memory:") is a new registry in memory, with a history of its own', () => {
  const before = process.cwd();
  process.chdir(temporaryFolder());
  onTestFinished(() => process.chdir(before));
  const [one, other] = [new Catalogue(':memory:'), new Catalogue(':memory:', { mode: 'read' })];
  published({ catalogue: one }, 'acme:lidar', '1.0.0');
  expect([one.modules(), other.modules()]).toEqual([['acme:lidar'], []]);
  expect(one.changes(0).history).not.toBe(other.changes(0).history);
  one.close();
  expect(() => one.modules()).toThrow('":memory:": it was closed');
  other.close();
  expect(existsSync(':memory:')).toBe(false);
});

it('its change feed reports what the same object publishes, until the feed is closed', async () => {
  const catalogue = new Catalogue(':memory:');
  const feed = changeFeed(catalogue);
  const { signal } = new AbortController();
  const change = feed.wait(0, 1_000_000, signal);
  published({ catalogue }, 'acme:lidar', '1.0.0');
  expect(await change).toMatchObject({ sequence: 1, modules: ['acme:lidar'] });
  const none = feed.wait(1, 1_000_000, signal);
  feed.close();
  expect(await none).toMatchObject({ sequence: 1, modules: [] });
  catalogue.close();
});
