import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { earlierData } from '../../src/agent/module-data.ts';
import { agentSite } from '../support/agent-site.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { entry } from '../support/planned.ts';

const LIDAR = { name: 'lidar', moduleId: moduleId('acme:lidar') };
const FRONT = { ...LIDAR, name: 'front' };
const CAM = { name: 'cam', moduleId: moduleId('acme:cam') };

function config(name: string): object {
  return { modules: [entry('acme:lidar', '1.*', name)] };
}

describe('[T341] what an entry kept before', () => {
  it.each<[string, readonly string[], readonly (typeof LIDAR)[], readonly string[]]>([
    ['nothing, if there is no folder', [], [LIDAR], []],
    ['not what it keeps now', ['rover/lidar/map'], [LIDAR], []],
    ['under another id of the machine', ['local/lidar/map'], [LIDAR], ['local/lidar']],
    [
      'also if it has kept something since',
      ['local/lidar/map', 'rover/lidar/map'],
      [LIDAR],
      ['local/lidar'],
    ],
    ['not an empty folder', ['local/lidar/'], [LIDAR], []],
    ['under another name, that the config lacks', ['rover/front/map'], [FRONT], ['rover/front']],
    ['under another id and name', ['local/front/map'], [FRONT, LIDAR], ['local/front']],
    ['not what another module had', ['rover/cam/map'], [CAM], []],
    ['not what another entry has', ['rover/rear/map'], [{ ...LIDAR, name: 'rear' }], []],
    ['not what has the name of a folder', ['rover/lidar/map', 'file'], [LIDAR], []],
  ])('%s', (_, paths, ran, expected) => {
    const home = temporaryFolder();
    for (const path of paths) {
      const [, folder = ''] = /^(.*\/)?[^/]*$/.exec(path) ?? [];
      mkdirSync(join(home, 'module-data', folder), { recursive: true });
      if (!path.endsWith('/')) writeFileSync(join(home, 'module-data', path), '');
    }
    const entries = [LIDAR, { ...LIDAR, name: 'rear' }];
    expect(earlierData(LIDAR, { home, machineId: 'rover' }, { entries, ran })).toEqual(expected);
  });
});

it('[T341] an entry that is renamed has an empty folder, and the agent says where its data is', async () => {
  const site = await agentSite(config('lidar'));
  const script = 'echo "has $(ls "$PLATFORM_MODULE_DATA")"; echo 42 >"$PLATFORM_MODULE_DATA/map"';
  site.publish('acme:lidar', '1.0.0', `${script}; exec sleep 1000`);
  await site.start();
  // The output of a module may be read after it counts as ready.
  const both = /^(lidar says has |done)$/;
  await site.until(both);
  await site.until(both);
  site.configure(config('front'));
  await site.until(
    `front keeps its data in ${site.home}/module-data/local/front, and had it in local/lidar`,
  );
  await site.until('front says has ');
  expect(readFileSync(`${site.home}/module-data/local/lidar/map`, 'utf8')).toBe('42\n');
});
