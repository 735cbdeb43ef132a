import { existsSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { HOSTILE_ARCHIVES } from '../support/hostile-archives.ts';
import { install } from '../../support/installing.ts';
import { fileServer } from '../../../mocks/file-server.ts';

it.each(Object.entries(HOSTILE_ARCHIVES))(
  '[A9] refuses %s before anything is written',
  async (_what, make) => {
    const { file, kind = 'bad-archive', reason } = make();
    const home = temporaryFolder();
    const server = await fileServer(file);
    const steps: string[] = [];
    const result = await install(home, server.artifact, {
      onStep: (step) => void steps.push(step.kind),
    });
    expect(result).toEqual({ ok: false, error: { blame: 'release', kind, reason } });
    expect(steps).not.toContain('unpacked');
    expect(existsSync(`${home}/packages`)).toBe(false);
    expect(readdirSync(`${home}/downloads`)).toEqual([]);
    expect(readdirSync(home, { recursive: true })).not.toContainEqual(
      expect.stringMatching(/^staging\/./),
    );
  },
  120_000,
);

it('[A9] has at least 40 hostile archives', () => {
  expect(Object.keys(HOSTILE_ARCHIVES).length).toBeGreaterThanOrEqual(40);
});
