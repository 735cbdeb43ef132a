import { expect, it } from 'vitest';
import { publishedUntilKilled } from './support/killed-publisher.ts';
import { SLOWNESS } from '../support/slowness.ts';

/** The number of processes to kill while they publish. */
const KILLS = Number(process.env['MODREG_KILLS'] ?? 5);

it(
  `processes that are killed while they publish lose nothing that they acknowledged, in ${KILLS} runs`,
  { timeout: SLOWNESS * (60_000 + KILLS * 2000) },
  async () => {
    const kills = Array.from({ length: KILLS }, (_, run) => 10 + run * 7);
    const { acknowledged, lost, ...list } = await publishedUntilKilled(kills);
    expect(lost).toEqual([]);
    expect(acknowledged).toBeGreaterThan(KILLS);
    expect(list).toEqual({
      count: list.releases,
      generation: list.releases,
      releases: list.releases,
    });
  },
);
