import { existsSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { printed, type Printed } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { inProcess } from '../../support/in-process.ts';
import { loopbackRegistry, type Loopback } from '../../support/loopback.ts';
import { entry } from '../../support/planned.ts';
import { polledSite, pollingHere, script } from '../../support/polling.ts';
import { published } from '../../support/published.ts';
import type { TestKey, TestTrust } from '../../support/signed.ts';
import { tokenFor } from '../../support/token.ts';
import { servingTo } from './served-documents.ts';

/** Runs `modreg fleet …` for rover-7. */
export function commanding(
  { address, catalogue }: Loopback,
  more: Readonly<Record<string, string>> = {},
): (...args: string[]) => Promise<Printed> {
  const token = tokenFor(catalogue, ['commands'], 'ops');
  const environment = { MODREG_TOKEN: token, MODREG_REGISTRY: address, ...more };
  return async (...args) =>
    await printed(['fleet', ...args, '--machine', 'rover-7'], { environment, clock: Date.now });
}

/** The day so many days from now. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

interface CommandedHere {
  readonly loopback: Loopback;
  readonly fleet: (...args: string[]) => Promise<Printed>;
  /** Has the machine do something. The result is what it answers. */
  readonly told: (...args: string[]) => Promise<string>;
  /** Runs a command on the machine. */
  readonly here: (...args: string[]) => Promise<string>;
  readonly until: (text: string) => Promise<readonly string[]>;
}

/** A private key as the text of a file. */
export function pem({ privateKey }: TestKey): string {
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** A file with a private key. */
export function keyFile(key: TestKey): string {
  const path = `${temporaryFolder()}/operator.key`;
  writeFileSync(path, pem(key), { mode: 0o600 });
  return path;
}

/** A machine with lidar 1.2.3 that asks its site for commands, whose registry signs answers with `key`. */
export async function commandedHere(
  versions: readonly string[],
  trust?: TestTrust,
  key?: TestKey,
): Promise<CommandedHere> {
  const loopback = await loopbackRegistry();
  // A registry with keys takes no release without signatures.
  published(loopback, 'acme:lidar', ...versions);
  if (trust) loopback.catalogue.trust.store(trust.text);
  if (key) writeFileSync(`${loopback.catalogue.path}-key`, pem(key), { mode: 0o600 });
  const site = servingTo(loopback);
  const modules = [entry('acme:lidar', '1.*')];
  const blackout = [{ from: dayIn(-1), to: dayIn(100), time_zone: 'UTC' }];
  const policy = { blackout, ...(trust && { trust: trust.pin }) };
  const deployed = { acme_lidar: '1.2.3' };
  const folder = polledSite(loopback, { modules, deployed, policy });
  const hook = script(`${folder}/hook`, 'cat > /dev/null');
  const { until, end } = pollingHere(folder, ['--exec', hook, ...site.args], site.environment);
  await until('polling 1 module');
  onTestFinished(async () => void (await end('SIGTERM')));
  const fleet = commanding(loopback);
  const shown = (text: string): string => text.replaceAll(loopback.address, 'SITE');
  return {
    loopback,
    fleet,
    async told(...args) {
      // What was given before its first question is lost.
      await expect.poll(() => existsSync(`${folder}/home/machine.db.served`)).toBe(true);
      await fleet(...args, '--reason', 'a test');
      const [said = ''] = (await until('of the site (')).slice(-1);
      return shown(said.replace(/^TIME /, ''));
    },
    async here(...args) {
      const { stdout, stderr } = await inProcess(args, {
        PLATFORM_HOME: `${folder}/home`,
        USER: 'ann',
      });
      return shown(stdout + stderr);
    },
    until,
  };
}
