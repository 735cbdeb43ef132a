import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { publicKeyOf } from '../../src/registry/trust/ed25519.ts';
import { privateKeyIn } from '../../src/server/tls/private-key.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { servedHere } from '../support/served-here.ts';

/** Runs a command that has to succeed, and returns what it prints. */
async function done(...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exit } = await inProcess(args);
  expect([exit, args, stderr]).toEqual([0, args, expect.any(String)]);
  return stdout.trim();
}

it.each(['keys/root-1.key', 'keys/root-2.key', 'keys/publish.key', 'registry.db-key'])(
  '[D179] a site that lost %s goes on with a new one, and no policy changes',
  async (lost) => {
    const folder = temporaryFolder({ 'a.tgz': 'a' });
    const db = `${folder}/registry.db`;
    const init = ['keys', 'init', '--name', 'plant', '--to', `${folder}/keys`, '--db', db];
    const pin = await done(...init, '--create');
    const path = `${folder}/${lost}`;
    const before = publicKeyOf(privateKeyIn(readFileSync(path)));
    rmSync(path);
    // From here on, nothing has the lost key.
    const after = await done('keys', 'new', path);
    const first = await done('keys', 'show', '--text', '--db', db);
    const body = first.slice(0, first.indexOf('\n\n') + 1).replace('version 1', 'version 2');
    writeFileSync(`${folder}/next.txt`, body.replaceAll(before, after));
    const left = lost === 'keys/root-1.key' ? 'root-2' : 'root-1';
    await done('keys', 'sign', `${folder}/next.txt`, '--key', `${folder}/keys/${left}.key`);
    await done('keys', 'update', `${folder}/next.txt`, '--db', db);
    const publish = [
      'registry',
      'publish',
      'acme:lidar',
      '1.0.0',
      '--no-check',
      '--upload',
      `${folder}/a.tgz`,
    ];
    await done(...publish, '--key', `${folder}/keys/publish.key`, '--db', db);
    const { address } = await servedHere(db);
    writeFileSync(`${folder}/policy.json`, JSON.stringify({ registry: address, trust: pin }));
    const resolve = ['resolve', 'acme:lidar', '1.*', '--policy', `${folder}/policy.json`];
    const { stdout, stderr } = await inProcess(resolve, { PLATFORM_HOME: `${folder}/home` });
    expect([stdout, stderr]).toEqual(['1.0.0\n', '']);
  },
);
