import { existsSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { runModreg } from '../support/modreg.ts';
import { newFile, registry } from './support/registry-command.ts';
import { servedHere } from '../support/served-here.ts';
import { fixture, tlsFiles } from '../support/tls.ts';

describe('modreg registry serve with a certificate', () => {
  it('[T80] serves https:, which a machine reads that knows the authority', async () => {
    const db = newFile();
    await registry(db, 'publish', 'acme:lidar', '1.0.0');
    const { certificate, key } = tlsFiles();
    const options = ['--tls-cert', certificate, '--tls-key', key, '--host', '0.0.0.0'];
    const { address, log, end } = await servedHere(db, ...options);
    const { port } = new URL(address);
    expect(address).toBe(`https://0.0.0.0:${port}`);
    const args = ['resolve', 'acme:lidar', '1.*', '--registry', `https://127.0.0.1:${port}`];
    // Node reads the authorities when it starts.
    const known = await runModreg(args, {
      PLATFORM_HOME: temporaryFolder(),
      NODE_EXTRA_CA_CERTS: fixture('authority'),
    });
    expect([known.stdout, known.exit]).toEqual(['1.0.0\n', 0]);
    const unknown = await inProcess(args, { PLATFORM_HOME: temporaryFolder() });
    expect(unknown.stderr).toContain('error[BAD_CERTIFICATE]: ');
    expect(await end()).toBe(0);
    expect(log()).not.toContain('plain http:');
  });

  it.each<[string, (files: { certificate: string; key: string }) => string[], string]>([
    [
      'a certificate without a key',
      ({ certificate }) => ['--tls-cert', certificate],
      'error[USAGE]: --tls-cert is given without --tls-key: pass both, or neither\n',
    ],
    [
      'a key without a certificate',
      ({ key }) => ['--tls-key', key],
      'error[USAGE]: --tls-key is given without --tls-cert: pass both, or neither\n',
    ],
    [
      'a missing key',
      ({ certificate, key }) => {
        rmSync(key);
        return ['--tls-cert', certificate, '--tls-key', key];
      },
      'error[UNREADABLE_FILE]: the key "KEY" does not exist\n',
    ],
    [
      'the key of another certificate',
      ({ certificate }) => ['--tls-cert', certificate, '--tls-key', fixture('alone')],
      `error[UNREADABLE_FILE]: the key "${fixture('alone')}" does not belong to the certificate "CERT"\n`,
    ],
  ])('[T80] refuses %s, and creates nothing', async (_, args, message) => {
    const files = tlsFiles();
    const db = `${temporaryFolder()}/registry.db`;
    const { stdout, stderr, exit } = await registry(db, 'serve', '--create', ...args(files));
    const { certificate, key } = files;
    expect([stdout, stderr.replace(certificate, 'CERT').replace(key, 'KEY'), exit]).toEqual([
      '',
      message,
      2,
    ]);
    expect(existsSync(db)).toBe(false);
  });
});
