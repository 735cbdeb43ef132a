import { describe, expect, it } from 'vitest';
import { logEvent } from '../../src/cli/base/registry-log.ts';
import { readRelease } from '../../src/server/index.ts';
import { moduleId } from '../support/ask.ts';
import { NOON, sql, withoutTypes } from '../support/backups.ts';
import { printed } from '../support/command.ts';
import { rollingFleet, type RollingFleet } from '../support/rolling-fleet.ts';
import { tokenFor } from '../support/token.ts';

const HOUR = 3_600_000;
const DAMAGED = `UPDATE rollout_events SET content = 'x' WHERE module = 2`;

/** acme:lidar 1.3.0 and acme:arm 2.0.0 in rollout, which a row of acme:arm 2.0.0 no longer describes. */
async function damagedFleet(damage: string = DAMAGED): Promise<RollingFleet> {
  const fleet = await rollingFleet(6);
  expect(await fleet.publish({ version: '1.3.0', rollout: {} })).toBe('201');
  const release = readRelease({ version: '2.0.0', rollout: {} });
  if (!release.ok) throw new Error(release.error.join());
  expect(fleet.catalogue.publish(moduleId('acme:arm'), release.value, NOON)).toBe('published');
  sql(fleet.catalogue.path, damage);
  return fleet;
}

/** The events of the log about rollouts, as `registry serve` prints them. */
function logged({ events, catalogue }: RollingFleet): string[] {
  const lines: string[] = [];
  for (const event of events) {
    if (event.kind !== 'rollout' && event.kind !== 'failed') continue;
    logEvent((level, name, fields) => {
      lines.push(`${level} ${name} ${JSON.stringify(fields)}`.replaceAll(catalogue.path, 'PATH'));
    }, event);
  }
  return lines;
}

const ROW = String.raw`\"PATH\": row 5 of rollout_events, column content: it is not JSON`;
const HINT =
  'find the row with modreg registry verify where the registry runs, then restore a backup with modreg registry restore';
const DAMAGE = `error rollout-damaged {"module_id":"acme:arm","version":"2.0.0","because":"${ROW}","hint":"${HINT}"}`;

describe('[T207] a rollout that is damaged among others', () => {
  it('keeps the registry from no step of the others, and is logged once', async () => {
    const fleet = await damagedFleet();
    await fleet.turn();
    await fleet.pass(HOUR);
    await fleet.pass(60_000);
    expect(await fleet.state()).toMatchObject({ status: 'running', percent: 33.3 });
    expect(logged(fleet)).toEqual([
      DAMAGE,
      'info rollout-raised {"module_id":"acme:lidar","version":"1.3.0"}',
    ]);
  });

  it('is logged again when it is another damage', async () => {
    const fleet = await damagedFleet();
    await fleet.pass(60_000);
    sql(
      fleet.catalogue.path,
      `UPDATE rollout_events SET kind = 'haltee', content = '{}' WHERE module = 2`,
    );
    await fleet.pass(120_000);
    const other = 'column kind: expected started, raised, halted, resumed, completed, retracted';
    const text = DAMAGE.replace('column content: it is not JSON', other);
    expect(logged(fleet)).toEqual([DAMAGE, text]);
  });

  it.each([
    ['cut off', `content = '{"artifacts":[{"platform":"any"'`, 'content', 'it is not JSON'],
    ['no object', "content = '[]'", 'content', 'it is not a JSON object'],
    [
      'another type',
      `content = '{"artifacts":{}}'`,
      'content',
      '/artifacts: expected a list of artifacts',
    ],
    [
      'a platform that is none',
      `content = '{"artifacts":[{"platform":1,"url":""}]}'`,
      'content',
      '/artifacts/0/platform: expected text',
    ],
    ['bytes', "content = x'7b7d'", 'content', 'expected text'],
    ['a time of bytes', "published_at = x'00'", 'published_at', 'expected a whole number'],
    [
      'a number that JavaScript cannot hold',
      'published_at = 9223372036854775807',
      'published_at',
      'expected a whole number',
    ],
    ['a reason of bytes', "yanked = x'00'", 'yanked', 'expected text'],
  ])(
    'is not lost if its release is damaged: %s; the others are listed, served and changed',
    async (_, damage, column, found) => {
      const fleet = await damagedFleet('SELECT 1');
      withoutTypes(fleet.catalogue.path, 'releases', `UPDATE releases SET ${damage} WHERE id = 3`);
      await fleet.pass(60_000);
      const event = fleet.events.find(({ kind }) => kind === 'rollout');
      expect(event).toMatchObject({
        change: 'damaged',
        moduleId: 'acme:arm',
        version: '2.0.0',
        because: `"${fleet.catalogue.path}": row 3 of releases, column ${column}: ${found}`,
      });
      const { rollouts, damaged } = fleet.catalogue.rollouts.all();
      expect(rollouts.map(({ moduleId: id, version }) => `${id} ${version}`)).toEqual([
        'acme:lidar 1.3.0',
      ]);
      expect(damaged).toMatchObject([{ moduleId: 'acme:arm', version: '2.0.0' }]);
      await fleet.turn();
      await fleet.pass(HOUR);
      expect(await fleet.state()).toMatchObject({ status: 'running', percent: 33.3 });
      expect(await fleet.listed()).toMatchObject({ rollout: { percent: 33.3 } });
      const { sequence: after } = await fleet.state();
      expect(await fleet.change({ event: 'halt', after, reason: 'stops' })).toBe('200');
      expect(await fleet.state()).toMatchObject({ status: 'halted', because: 'stops' });
    },
  );

  it('is named with its row and column if a number of an event is one that JavaScript cannot hold', async () => {
    const fleet = await damagedFleet(
      'UPDATE rollout_events SET at = -9223372036854775808 WHERE module = 2',
    );
    const [damaged] = fleet.catalogue.rollouts.all().damaged;
    expect(damaged?.found).toBe(
      `"${fleet.catalogue.path}": row 5 of rollout_events, column at: expected a whole number`,
    );
  });

  it('is named by rollout status', async () => {
    const fleet = await damagedFleet();
    const environment = { MODREG_TOKEN: tokenFor(fleet.catalogue, ['fleet:read'], 'reader') };
    const status = async (...args: readonly string[]): Promise<object> =>
      await printed(['rollout', 'status', ...args, '--registry', fleet.address()], { environment });
    const stderr = [
      'error[DAMAGED]: acme:arm 2.0.0: a row of its rollout is damaged',
      '  because it is neither raised nor halted, and acme:arm has no list; machines keep what they have, and other rollouts go on',
      `hint: ${HINT}`,
    ];
    const stdout = ['acme:lidar 1.3.0: running at 16.6 %'];
    expect(await status()).toEqual({ stdout, stderr, exit: 1 });
    expect(await status('acme:arm')).toEqual({ stdout: [], stderr, exit: 1 });
    expect(await status('acme:lidar')).toEqual({ stdout, stderr: [], exit: 0 });
    expect(await status('--json')).toMatchObject({
      stdout: [expect.stringContaining('"damaged":[{"module_id":"acme:arm","version":"2.0.0"}]')],
    });
  });
});
