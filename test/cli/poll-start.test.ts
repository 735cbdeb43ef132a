import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { printed, type Printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { rememberedIn } from '../support/machine-home.ts';
import { polledSite, polling, pollingHere, script, type PollingHere } from '../support/polling.ts';
import { published } from '../support/published.ts';

/** What `modreg poll` says in place of a start. */
async function refusal(folder: string, ...options: readonly string[]): Promise<Printed> {
  const environment = { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home` };
  return await printed(['poll', `${folder}/machine.json`, ...options], { environment });
}

/** What a poller says up to its first line about the lidar, without its first line. It is ended then. */
async function said({ until, end }: PollingHere): Promise<string[]> {
  const log = await until('acme_lidar: ');
  await end('SIGTERM');
  return log.slice(1);
}

describe('modreg poll', () => {
  it('[T73] does not blame the release if its program is stopped with it', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.4');
    const after = async (does: string, text: string): Promise<unknown[]> => {
      const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
      const interrupted = 'trap "echo interrupted >&2; exit 1" TERM';
      const lines = [interrupted, 'echo ready', does, 'while :; do sleep 0.05; done'];
      const { until, end } = pollingHere(folder, ['--exec', script(`${folder}/hook`, ...lines)]);
      await until(text);
      const ended = await end('SIGTERM');
      const environment = { PLATFORM_HOME: `${folder}/home` };
      const status = await printed(['status', '--json'], { environment, clock: Date.now });
      const { targets } = JSON.parse(status.stdout.join('')) as {
        readonly targets: readonly { readonly action: { readonly state: string } }[];
      };
      const failed = ended.lines.filter((line) => line.includes('failed'));
      const remembered = rememberedIn(`${folder}/home`);
      return [ended.exit, ...failed, ...remembered, targets[0]?.action.state];
    };
    const again = [0, '1.2.3 after nothing', 'delivered'];
    // A service manager signals all processes of a service, and the program may end first.
    const first = after('kill -TERM $$', 'acme_lidar: interrupted');
    expect(await Promise.all([after('', 'acme_lidar: ready'), first])).toEqual([again, again]);
  });

  it('[D73] acts in the first round of a new machine on what --deployed says', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.4');
    const deployed = `${temporaryFolder({ 'deployed.json': '{"acme_lidar": "1.2.3"}' })}/deployed.json`;
    const after = async (...options: readonly string[]): Promise<string[]> => {
      const folder = polledSite(loopback);
      const hook = script(`${folder}/hook`, '');
      const { until, end } = pollingHere(folder, ['--exec', hook, ...options]);
      // The line about a machine without a known state follows the one about its module.
      const log = await until(options.length > 0 ? 'acme_lidar: ' : 'no deployed version');
      await end('SIGTERM');
      return log.slice(1).map((line) => line.replace(/in [\d.]+ m?s\)/, 'in SOON)'));
    };
    expect(
      await Promise.all([after(), after('--deployed', deployed), after('--deployed', 'none')]),
    ).toEqual([
      [
        'TIME warn  acme_lidar: its deployed version is not known, so nothing is done; --deployed none says that nothing is, --deployed <file> what is',
        'TIME info  no deployed version was ever recorded, so the first round changes nothing; the next round is at TIME (in SOON)',
      ],
      ['TIME info  acme_lidar: upgrade 1.2.3 → 1.2.4: newest release of 1'],
      ['TIME info  acme_lidar: install of 1.2.4: not deployed yet; newest release of 1'],
    ]);
  });

  it.each<[string, string]>([
    ['not a database', 'file is not a database'],
    ['', 'it is empty'],
  ])('[T100] takes no module for absent after machine.db was lost: "%s"', async (content, why) => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.4');
    const folder = polledSite(loopback);
    const file = `${folder}/home/machine.db`;
    writeFileSync(file, content);
    const hook = script(`${folder}/hook`, '');
    const start = (): PollingHere => pollingHere(folder, ['--exec', hook, '--deployed', 'none']);
    const refused = `TIME warn  acme_lidar: its deployed version is not known, so nothing is done; --deployed <file> says what is; --deployed none is not used, because "${file}.set-aside-1" may have known it`;
    const first = await said(start());
    expect([first[0], first.at(-1)]).toEqual([
      `TIME warn  "${file}": ${why}; it is now ${file}.set-aside-1, and a new file was created: deployed versions, quarantines and rollbacks are forgotten`,
      refused,
    ]);
    expect((await said(start())).at(-1)).toBe(refused);
    // The file that replaced it may be lost, too.
    writeFileSync(file, '');
    expect((await said(start())).at(-1)).toBe(refused);
    rmSync(`${file}.set-aside-1`);
    expect((await said(start())).at(-1)).toBe(
      'TIME info  acme_lidar: install of 1.2.4: not deployed yet; newest release of 1',
    );
  });

  it('[T100] takes no module for absent after its row in machine.db was damaged', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.4');
    const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
    const file = `${folder}/home/machine.db`;
    const database = new DatabaseSync(file);
    // A connection that is not modreg's leaves the checksum as it was.
    database.exec("UPDATE deployed SET text = '1.2.2'");
    database.close();
    const args = ['--exec', script(`${folder}/hook`, ''), '--deployed', 'none'];
    const started = async (): Promise<string | undefined> =>
      (await said(pollingHere(folder, args))).at(-1);
    const refused = `TIME warn  acme_lidar: its deployed version is not known, so nothing is done; --deployed <file> says what is; --deployed none is not used, because a damaged row of "${file}" may have known it`;
    expect([await started(), await started()]).toEqual([refused, refused]);
  });

  const ELF = Buffer.alloc(64);
  ELF.write('\u007fELF', 'latin1');
  it.each<[string, string | Buffer, string]>([
    ['an empty file', '', 'it has no first line such as #!/bin/sh'],
    ['a script without #!', 'import sys', 'it has no first line such as #!/bin/sh'],
    [
      'a script with the line ends of Windows',
      '#!/bin/sh\r\n',
      'its first line ends with a carriage return',
    ],
    [
      'a script whose interpreter is missing',
      '#! /no/such/sh -e\n',
      'its first line names /no/such/sh, which this machine does not have',
    ],
    ['a program of another machine', ELF, 'it is a program of another machine'],
  ])('does not leave %s to a shell', async (_case, content, why) => {
    const loopback = await loopbackRegistry();
    const folder = polledSite(loopback);
    const hook = `${folder}/hook`;
    writeFileSync(hook, content, { mode: 0o755 });
    expect(await refusal(folder, '--exec', hook)).toMatchObject({
      exit: 2,
      stderr: [`error[UNREADABLE_FILE]: --exec: "${hook}" cannot be run: ${why}`],
    });
  });

  it('blames no release for a program that was replaced by an empty file', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.4');
    const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
    const hook = script(`${folder}/hook`, 'exit 1');
    const { until, end } = pollingHere(folder, ['--exec', hook]);
    await until('polling 1 module');
    writeFileSync(hook, '');
    expect((await until('not done')).at(-1)).toBe(
      'TIME warn  acme_lidar: upgrade 1.2.3 → 1.2.4: not done, next attempt in SOON: the program cannot be started: it has no first line such as #!/bin/sh',
    );
    await end('SIGTERM');
    expect(rememberedIn(`${folder}/home`)).toEqual(['1.2.3 after nothing']);
  });

  it('waits for a program that ignores SIGTERM, and for a second signal no longer', async () => {
    const loopback = await loopbackRegistry();
    published(loopback, 'acme:lidar', '1.2.4');
    const folder = polledSite(loopback, { deployed: { acme_lidar: '1.2.3' } });
    const hook = script(
      `${folder}/hook`,
      'trap "" TERM',
      'echo process $$',
      'while :; do sleep 0.05; done',
    );
    const { until, end, signal } = polling(folder, ['--exec', hook]);
    const [ready = ''] = (await until('acme_lidar: process')).slice(-1);
    const pid = Number(ready.split(' ').at(-1));
    signal('SIGTERM');
    await until(`acme_lidar: waiting up to 10 s for its program (process ${pid}) to end`);
    const { exit, lines } = await end('SIGTERM');
    expect([exit, ...lines]).toEqual([0, 'TIME info  stopped by SIGTERM']);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it.each<[string, readonly string[], number, string]>([
    [
      'a path that does not exist',
      ['--exec', './absent'],
      2,
      '--exec: "./absent" cannot be run: there is no such file',
    ],
    ['a folder', ['--exec', '/tmp'], 2, '--exec: "/tmp" cannot be run: it is not a file'],
    [
      'a file that is not executable',
      ['--exec', './package.json'],
      2,
      '--exec: "./package.json" cannot be run: it is not executable for this user\nhint: chmod +x ./package.json makes it executable',
    ],
    [
      'a name that is not in PATH',
      ['--exec', 'no-such-hook'],
      2,
      '--exec: "no-such-hook" is not in a folder of PATH\nhint: a program in the current folder is ./no-such-hook',
    ],
    [
      'no time',
      ['--exec', 'true', '--timeout', '0s'],
      2,
      '--timeout: 0s is too short, expected 1s or more',
    ],
  ])('refuses %s', async (_case, args, exit, message) => {
    const loopback = await loopbackRegistry();
    const folder = polledSite(loopback);
    const ended = await refusal(folder, ...args);
    const [first = '', ...hints] = ended.stderr;
    expect([ended.exit, [first.replace(/^error\[\w+\]: /, ''), ...hints].join('\n')]).toEqual([
      exit,
      message,
    ]);
  });
});
