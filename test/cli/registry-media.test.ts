import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { sh } from '../support/shell.ts';

describe("the registry's file on a medium of its own", () => {
  it('is read from where nobody can write', () => {
    const folder = temporaryFolder();
    const steps = [
      `mkdir ${folder}/medium && mount -t tmpfs none ${folder}/medium`,
      `./bin/modreg registry publish acme:lidar 1.0.0 --db ${folder}/medium/registry.db`,
      `mount -o remount,ro ${folder}/medium`,
      `./bin/modreg registry list --db ${folder}/medium/registry.db`,
      `./bin/modreg resolve acme:lidar latest --registry ${folder}/medium/registry.db`,
      `./bin/modreg registry publish acme:lidar 1.0.1 --db ${folder}/medium/registry.db 2>&1; echo "exit $?"`,
    ];
    expect(sh(`unshare -rm sh -c '${steps.join(' && ')}'`)).toBe(
      `acme:lidar: 1 published, 0 unchanged\nacme:lidar  1 release\n1.0.0\nerror[STATE_WRITE]: "${folder}/medium/registry.db": it, or its folder, cannot be written\nexit 70\n`,
    );
  });

  it('is read from there with what a killed process left in its log', () => {
    const folder = temporaryFolder();
    const db = `${folder}/medium/registry.db`;
    const steps = [
      `mkdir ${folder}/medium && mount -t tmpfs none ${folder}/medium`,
      `./bin/modreg registry publish acme:lidar 0.0.1 --db ${db}`,
      `(timeout -s KILL 1 node_modules/.bin/node test/support/publish-forever.ts ${db} > ${folder}/acknowledged; true)`,
      `test -s ${db}-wal`,
      // What was killed may hold the medium a moment longer.
      `until mount -o remount,ro ${folder}/medium 2>/dev/null; do :; done`,
      `./bin/modreg resolve acme:lidar latest --registry ${db} > ${folder}/answer`,
    ];
    sh(`unshare -rm sh -c '${steps.join(' && ')}'`);
    const acknowledged = readFileSync(`${folder}/acknowledged`, 'utf8').split('\n').slice(0, -1);
    const [major, , patch] = readFileSync(`${folder}/answer`, 'utf8').trim().split('.');
    const [lastMajor, , lastPatch] = acknowledged.at(-1)?.split('.') ?? [];
    // One more may be on the disk whose line did not come.
    expect([major, Number(patch) >= Number(lastPatch)]).toEqual([lastMajor, true]);
  });

  it('keeps what it has when the disk is full', () => {
    const folder = temporaryFolder({
      'big.json': JSON.stringify(
        Array.from({ length: 500 }, (_, at) => ({
          version: `2.0.${at}`,
          deprecated: 'x'.repeat(900),
        })),
      ),
    });
    const command = `./bin/modreg registry --db ${folder}/disk/registry.db`;
    const steps = [
      `mkdir ${folder}/disk && mount -t tmpfs -o size=256k none ${folder}/disk`,
      command.replace('--db', 'publish acme:lidar 1.0.0 --db'),
      `${command.replace('--db', `publish acme:lidar --file ${folder}/big.json --db`)} 2>&1; echo "exit $?"`,
      command.replace('--db', 'list --db'),
    ];
    expect(sh(`unshare -rm sh -c '${steps.join(' && ').replaceAll("'", '"')}'`)).toBe(
      `acme:lidar: 1 published, 0 unchanged\nerror[STATE_WRITE]: "${folder}/disk/registry.db": database or disk is full\nexit 70\nacme:lidar  1 release\n`,
    );
  });
});
