import { describe, expect, it } from 'vitest';
import { textOf } from './support/machine-page.ts';
import { LIDAR, ROLLOUT, rollingOut, seenIn } from './support/rolling-site.ts';

describe('a change of a rollout on the page of a site', () => {
  it.each<[string, string, string, string]>([
    ['running at 5 %', 'resume', 'running at 5 %: resume', 'Halt… Raise now… Retract…'],
    [
      'running at 5 %',
      'raise?percent=5',
      'running at 5 %: raise to 5 %',
      'Halt… Raise now… Retract…',
    ],
    ['running at 100 %', 'raise', 'running at 100 %: raise', 'Halt… Retract…'],
    ['halted', 'raise', 'halted at 5 %: raise', 'Resume… Retract…'],
    ['halted', 'halt', 'halted at 5 %: halt', 'Resume… Retract…'],
    ['halted and yanked', 'resume', 'halted at 5 %, and yanked: resume', 'Retract…'],
    ['retracted', 'raise', 'retracted at 5 %: raise', 'failed "motor stalled" on MACHINE'],
    ['retracted', 'retract', 'retracted at 5 %: retract', 'failed "motor stalled" on MACHINE'],
  ])('of a rollout that is %s, there is no page %s', async (state, page, message, links) => {
    const site = await rollingOut();
    const change = async (event: string, form: object): Promise<unknown> =>
      await site.post(`${ROLLOUT}/${event}`, { after: seenIn(site), ...form });
    if (state === 'running at 100 %')
      await change('raise', { percent: '100', failed: '1', silent: '0', failures: '1' });
    if (state.startsWith('halted')) await change('halt', {});
    if (state === 'halted and yanked') site.catalogue.yank(LIDAR, '1.3.0', 'too loud');
    if (state === 'retracted') await change('retract', {});
    expect((await site.app.request(`${ROLLOUT}/${page}`)).status).toBe(409);
    const lines = await textOf(site.app, `${ROLLOUT}/${page}`);
    expect(lines.slice(0, 3)).toEqual([
      'This was not done',
      `ROLLOUT_CONFLICT acme:lidar 1.3.0 is ${message} is not possible`,
      'The rollout as it is now:',
    ]);
    expect(lines.at(-1)?.replace(/rover-\d/, 'MACHINE')).toBe(links);
  });

  it('[T220] is only to retract it while the release is yanked', async () => {
    const site = await rollingOut();
    expect(await textOf(site.app, ROLLOUT)).toContain('Halt… Raise now… Retract…');
    await site.post(`${ROLLOUT}/halt`, { after: seenIn(site), reason: 'loud' });
    expect(await textOf(site.app, ROLLOUT)).toContain('Resume… Retract…');
    site.catalogue.yank(LIDAR, '1.3.0', 'stops the motor');
    const lines = await textOf(site.app, ROLLOUT);
    expect(lines.slice(1, 3)).toEqual([
      '5 %, 4 machines: loud',
      'The release is yanked: stops the motor. Its rollout goes on only after modreg registry unyank.',
    ]);
    expect(lines).toContain('Retract…');
    await site.post(`${ROLLOUT}/retract`, { after: seenIn(site) });
    expect((await textOf(site.app, ROLLOUT))[2]).toBe('The release is yanked: stops the motor.');
  });
});
