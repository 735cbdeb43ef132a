import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Front } from './fronts.ts';
import { ask, openSite } from './site.ts';

const LIST = '/v1/modules/acme/lidar';

/** Starts a front in a namespace of its own, where the folder of its file is a disk of 8 MB. */
function onSmallDisk(db: string): readonly string[] {
  const folder = dirname(db);
  const steps = [
    `cp ${db} ${folder}.seed`,
    `mount -t tmpfs -o size=8m none ${folder}`,
    `mv ${folder}.seed ${db}`,
    'exec "$@"',
  ];
  return ['unshare', '--map-root-user', '--mount', 'sh', '-c', steps.join(' && '), 'front'];
}

/** Fills the disk that the process has mounted at `folder`; the result frees it. */
function fill(pid: number | undefined, folder: string): () => void {
  const path = `/proc/${pid}/root${folder}/filler`;
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 4096, 1]) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
  return () => rmSync(path);
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) writeSync(file, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

async function statusOf(front: Front): Promise<number> {
  return (await ask(front, '/healthz')).status;
}

it('[T186] a front whose disk is full is not ready, and goes on when there is space', async () => {
  const site = await openSite(1);
  onTestFinished(site.close);
  const full = await site.add({ prefix: onSmallDisk });
  const [first] = site.fronts as [Front];
  const publish = async (front: Front, version: string): Promise<number> => {
    const body = { version };
    return (await ask(front, `${LIST}/releases`, { method: 'POST', token: site.token, body }))
      .status;
  };
  const generationAt = async (front: Front): Promise<unknown> =>
    (await ask(front, LIST)).json['generation'];

  await expect.poll(async () => await publish(first, '1.0.0')).toBe(201);
  await expect.poll(async () => await generationAt(full)).toBe(1);
  const free = fill(full.process()?.pid, dirname(full.db));
  await expect.poll(async () => await statusOf(full)).toBe(503);
  expect((await ask(full, '/healthz')).json['detail']).toContain('the disk is full');
  const versions = Array.from({ length: 20 }, (_none, place) => `1.1.${place}`);
  for (const version of versions) expect(await publish(first, version)).toBe(201);
  expect(await statusOf(first)).toBe(200);
  free();
  await expect.poll(async () => await statusOf(full)).toBe(200);
  await expect.poll(async () => await generationAt(full)).toBe(21);
  expect((await ask(full, LIST)).text).toBe((await ask(first, LIST)).text);
});
