import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createdToken, newFile, registry } from './support/registry-command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { shWithMounts } from '../support/shell.ts';

/** The path of a registry.db with this release. */
async function fileWith(version: string): Promise<string> {
  const db = newFile();
  await registry(db, 'publish', 'acme:lidar', version);
  return db;
}

describe("the registry's file on a separate file system", () => {
  it('is read when the file system is read-only', async (context) => {
    const folder = temporaryFolder();
    const steps = [
      `mkdir ${folder}/mount && mount -t tmpfs none ${folder}/mount`,
      `cp ${await fileWith('1.0.0')} ${folder}/mount/registry.db`,
      `mount -o remount,ro ${folder}/mount`,
      `./bin/modreg registry list --db ${folder}/mount/registry.db`,
      `./bin/modreg resolve acme:lidar latest --registry ${folder}/mount/registry.db`,
      `./bin/modreg registry publish acme:lidar 1.0.1 --db ${folder}/mount/registry.db 2>&1; echo "exit $?"`,
    ];
    expect(shWithMounts(context, steps)).toBe(
      `acme:lidar  1 release\n1.0.0\nerror[STATE_WRITE]: "${folder}/mount/registry.db": the file or its folder cannot be written\nexit 70\n`,
    );
  });

  it('does not make a request with a token fail when the file system is read-only', async (context) => {
    const folder = temporaryFolder();
    const [made, db] = [newFile(), `${folder}/mount/registry.db`];
    await createdToken(made, 'publish');
    const steps = [
      `mkdir ${folder}/mount && mount -t tmpfs none ${folder}/mount`,
      `cp ${made} ${db}`,
      `mount -o remount,ro ${folder}/mount`,
      `node_modules/.bin/node test/cli/support/record-use.ts ${db}`,
    ];
    expect(shWithMounts(context, steps)).toBe('t1 last used: never\n');
  });

  it('is read there with the transactions that a killed process left in the WAL', async (context) => {
    const folder = temporaryFolder();
    const db = `${folder}/mount/registry.db`;
    const steps = [
      `mkdir ${folder}/mount && mount -t tmpfs none ${folder}/mount`,
      `cp ${await fileWith('0.0.1')} ${db}`,
      `{ node_modules/.bin/node test/support/publish-forever.ts ${db} > ${folder}/acknowledged & }`,
      // It is killed in the middle of its work.
      `until test -s ${folder}/acknowledged; do :; done`,
      `kill -9 $!`,
      `test -s ${db}-wal`,
      // The killed process may keep the file system busy for a moment.
      `until mount -o remount,ro ${folder}/mount 2>/dev/null; do :; done`,
      `./bin/modreg resolve acme:lidar latest --registry ${db} > ${folder}/answer`,
    ];
    shWithMounts(context, steps);
    const acknowledged = readFileSync(`${folder}/acknowledged`, 'utf8').split('\n').slice(0, -1);
    const [major, , patch] = readFileSync(`${folder}/answer`, 'utf8').trim().split('.');
    const [lastMajor, , lastPatch] = acknowledged.at(-1)?.split('.') ?? [];
    // The killed process may have written one more release without printing its line.
    expect([major, Number(patch) >= Number(lastPatch)]).toEqual([lastMajor, true]);
  });

  it('keeps its contents when the disk is full', async (context) => {
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
      `cp ${await fileWith('1.0.0')} ${folder}/disk/registry.db`,
      `${command.replace('--db', `publish acme:lidar --file ${folder}/big.json --db`)} 2>&1; echo "exit $?"`,
      `cp ${folder}/disk/registry.db* ${folder}`,
    ];
    expect(shWithMounts(context, steps)).toBe(
      `error[STATE_WRITE]: "${folder}/disk/registry.db": database or disk is full\nexit 70\n`,
    );
    expect((await registry(`${folder}/registry.db`, 'list')).stdout).toBe(
      'acme:lidar  1 release\n',
    );
  });

  it('[T76] leaves no part of a restored one when the disk is full', async (context) => {
    const folder = temporaryFolder();
    await registry(await fileWith('1.0.0'), 'backup', `${folder}/backup`);
    const steps = [
      `mkdir ${folder}/disk && mount -t tmpfs -o size=16k none ${folder}/disk`,
      `./bin/modreg registry restore ${folder}/backup --db ${folder}/disk/new.db 2>&1; echo "exit $?"; ls ${folder}/disk`,
    ];
    expect(shWithMounts(context, steps)).toBe(
      `error[STATE_WRITE]: "${folder}/disk/new.db": it cannot be used (ENOSPC)\nexit 70\nnew.db-restore.lock\n`,
    );
  });
});
