import { describe, expect, it } from 'vitest';
import { day, HOUR, MINUTE, SECOND, type Day } from '../support/day.ts';
import { ask } from '../support/history.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { entry } from '../support/planned.ts';

/** A machine on which 1.3.0 is deployed after 1.2.9. */
async function machine(): Promise<Day> {
  const one = await day({
    machine: { modules: [entry('acme:lidar', 'latest-with-prerelease')] },
    deployed: { acme_lidar: '1.2.9' },
    intervalMs: 10 * MINUTE,
    releases: { 'acme:lidar': ['1.2.9', '1.3.0'].map((version) => ({ version })) },
  });
  await one.pass(HOUR);
  await one.deliveries.shift()?.done();
  await one.pass(HOUR);
  return one;
}

describe('[D95] modreg quarantine add with all versions of a branch', () => {
  it('rolls the deployed one back, refuses later ones, and ends with the same text', async () => {
    const one = await machine();
    expect(await ask(one, 'quarantine', 'add', 'acme_lidar', '1.3.*', '--reason', 'hot')).toEqual({
      answer: [
        'acme:lidar 1.3.* is refused on this machine until an operator lifts it',
        '  acme:lidar: rollback to 1.2.9: 1.3.0 was refused by an operator (hot); 1.2.9 was deployed before it',
      ],
      problems: [],
      exit: 0,
    });
    one.poller.look();
    await one.pass(SECOND);
    await one.deliveries.shift()?.done();
    expect(rememberedIn(one.home)).toEqual(['1.2.9 after 1.3.0', 'acme:lidar 1.3.*']);
    expect((await ask(one, 'quarantine', 'lift', 'acme:lidar', '1.3.0')).problems).toEqual([
      'acme:lidar 1.3.0 is refused by the quarantine of 1.3.*',
    ]);
    expect((await ask(one, 'quarantine', 'lift', 'acme:lidar', '1.3.*')).answer).toEqual([
      'acme:lidar 1.3.* may be selected again',
    ]);
    expect(rememberedIn(one.home)).toEqual(['1.2.9 after 1.3.0']);
  });

  it('warns if no list has such a version, and says what still refuses one that is lifted', async () => {
    const one = await machine();
    const added = await ask(one, 'quarantine', 'add', 'acme:lidar', '2.*');
    expect(added.problems).toEqual([
      'no release list that this machine has read contains acme:lidar 2.*; it is refused if it is published',
    ]);
    await ask(one, 'quarantine', 'add', 'acme:lidar', '2.0.1');
    expect((await ask(one, 'quarantine', 'lift', 'acme:lidar', '2.0.1')).answer).toEqual([
      'acme:lidar 2.0.1 was lifted, but the quarantine of 2.* still refuses it',
    ]);
  });

  it.each(['1.*.*', '*', 'latest', '1.3.x', '01.*'])('refuses %s', async (text) => {
    const { problems } = await ask(await machine(), 'quarantine', 'add', 'acme:lidar', text);
    expect(problems).toEqual([`"${text}" is not a version`]);
  });
});
