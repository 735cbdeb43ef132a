import { spawn } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withUpgradeReleases } from '../faults/upgrade-releases.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT, runModreg, type Ended } from '../support/modreg.ts';
import { passingTime } from '../support/passing-time.ts';
import { needs } from '../support/prerequisite.ts';
import { agentInProcess, agentRunning } from '../support/polling.ts';
import { siteOf } from './support/lidar-site.ts';

/** What `modreg agent …` prints about the machine, without times and process ids. */
async function said(folder: string, ...args: readonly string[]): Promise<string[]> {
  return linesOf(folder, await inProcess(['agent', ...args], { PLATFORM_HOME: `${folder}/home` }));
}

/** What `modreg agent status` prints in another process: the one of an agent does not see the agent's own lock. */
async function statusSeen(folder: string): Promise<string[]> {
  const environment = { PLATFORM_HOME: `${folder}/home` };
  return linesOf(folder, await runModreg(['agent', 'status'], environment));
}

function linesOf(folder: string, { stdout, stderr }: Ended): string[] {
  return `${stdout}${stderr}`
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
        .replaceAll(/process \d+/g, 'process PID')
        .replaceAll(folder, '@')
        .trim(),
    );
}

describe('modreg agent run', () => {
  it('runs a release, rolls back one that fails, and says so', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      const agent = agentInProcess(folder);
      await agent.until('install of 1.0.0: done');
      publish('1.0.1', 'fails-at-once');
      await agent.until('is in quarantine');
      expect((await statusSeen(folder)).map((line) => line.split(/ {2,}/))).toEqual([
        ['MODULE', 'VERSION', 'STATE', 'PROCESS', 'MEMORY', 'UPDATE'],
        [
          'acme_lidar',
          '1.0.0',
          'running',
          expect.stringMatching(/^\d+$/),
          expect.stringMatching(/MB$/),
          expect.any(String),
        ],
        [''],
        ['In quarantine (modreg quarantine lift MODULE VERSION lets one be selected again):'],
        ['MODULE', 'VERSION', 'SINCE', 'UNTIL', 'WHY'],
        [
          'acme:lidar',
          '1.0.1',
          ...Array.from({ length: 2 }, () => expect.any(String) as string),
          'it ended with exit code 3',
        ],
      ]);
      expect(await agent.end('SIGTERM')).toEqual({
        exit: 0,
        lines: [
          'TIME info  got SIGTERM: stopping all modules',
          'TIME info  acme_lidar: 1.0.0 is stopped',
          'TIME info  all modules are stopped',
        ],
      });
      expect((await said(folder, 'status')).at(-1)).toBe('no agent is running');
      // The log has what was printed.
      expect(await said(folder, 'logs')).toEqual([
        'TIME info  running 1 module of @/machine.json, a round every 5 s (Ctrl-C stops)',
        'TIME info  acme_lidar: install of 1.0.0: not deployed yet; newest release of 1',
        expect.stringMatching(/^TIME info {2}acme_lidar: 1\.0\.0 is downloaded, \d+ bytes$/),
        'TIME info  acme_lidar: 1.0.0 is installed',
        'TIME info  acme_lidar: 1.0.0 is started (process PID)',
        'TIME info  acme_lidar: 1.0.0 runs',
        'TIME info  acme_lidar: install of 1.0.0: done',
        'TIME info  acme_lidar: upgrade 1.0.0 → 1.0.1: newest release of 1',
        expect.stringMatching(/^TIME info {2}acme_lidar: 1\.0\.1 is downloaded, \d+ bytes$/),
        'TIME info  acme_lidar: 1.0.1 is installed',
        'TIME info  acme_lidar: 1.0.0 is stopped',
        'TIME info  acme_lidar: 1.0.1 is started (process PID)',
        'TIME warn  acme_lidar: 1.0.1 failed: it ended with exit code 3',
        'TIME warn  acme_lidar: 1.0.0 is started again',
        'TIME info  acme_lidar: 1.0.0 is started (process PID)',
        'TIME info  acme_lidar: 1.0.0 runs',
        'TIME error acme_lidar: upgrade 1.0.0 → 1.0.1: the release failed: it ended with exit code 3',
        'TIME warn  acme:lidar 1.0.1 is in quarantine until an operator lifts it (modreg quarantine lift acme:lidar 1.0.1): it ended with exit code 3',
        'TIME info  got SIGTERM: stopping all modules',
        'TIME info  acme_lidar: 1.0.0 is stopped',
        'TIME info  all modules are stopped',
      ]);
    });
  });

  it('shows a download below its log on a terminal', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      const command = `stty columns 70; exec ${ROOT}bin/modreg agent run ${folder}/machine.json --platform linux/amd64 --interval 5s`;
      const terminal = spawn('script', ['-qfec', command, '/dev/null'], {
        env: { PATH: process.env['PATH'], PLATFORM_HOME: `${folder}/home`, TERM: 'xterm' },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      onTestFinished(() => void terminal.kill('SIGKILL'));
      let output = '';
      for await (const part of terminal.stdout) {
        output += String(part);
        if (output.includes('install of 1.0.0: done')) terminal.stdin.end('\u0003');
      }
      const [bar] = /\r\u001B\[K[^\r]*100 %[^\r]*\r\u001B\[K/.exec(output) ?? [];
      expect(bar).toMatch(
        /^\r\u001B\[Kacme_lidar 1\.0\.0 {2}\[#{20}\] 100 % {2}0\.0 of 0\.0 MB\r\u001B\[K$/,
      );
      expect(output).toMatch(/\n\S+ info {2}acme_lidar: 1\.0\.0 is installed\r\n/);
    });
  });

  it('[A7] refuses a second agent, which names the first', async () => {
    const folder = siteOf('http://127.0.0.1:9/v1');
    const agent = agentRunning(folder);
    await agent.until('running 1 module');
    expect(await said(folder, 'run', `${folder}/machine.json`)).toEqual([
      'error[LOCKED]: "@/home/machine.db": process PID already polls for this machine, and only one process can',
    ]);
    expect((await agent.end('SIGTERM')).exit).toBe(0);
  });

  it('says that machine.db was damaged, and installs again', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      writeFileSync(`${folder}/home/machine.db`, 'damaged'.repeat(1000));
      const agent = agentInProcess(folder);
      const lines = await agent.until('install of 1.0.0: done');
      expect(lines[1]?.replaceAll(folder, '@')).toMatch(
        /^TIME warn {2}"@\/home\/machine\.db": file is not a database; it is now @\/home\/machine\.db\.set-aside-1, and a new file was created: deployed versions, quarantines and rollbacks are forgotten$/,
      );
      expect((await agent.end('SIGINT')).exit).toBe(130);
    });
  });

  it('runs on, and tries again, if no module has a user to run as', async () => {
    await withUpgradeReleases(async ({ address, publish }) => {
      publish('1.0.0', 'works');
      const folder = siteOf(address);
      writeFileSync(`${folder}/policy.json`, `{"registry":"${address}","run_as":"nemo"}`);
      const agent = agentInProcess(folder);
      const lines = await agent.until('there is no user "nemo"');
      expect(lines.at(-1)).toBe(
        'TIME warn  acme_lidar: install of 1.0.0: not done, next attempt in SOON: there is no user "nemo" to run modules as; create it: useradd --system --user-group --no-create-home --shell /usr/sbin/nologin nemo, or name another one with run_as in the policy',
      );
      expect((await agent.end('SIGTERM')).exit).toBe(0);
    });
  });

  it('says each reason for which the documents cannot be read, and does not take a policy that is gone for none', async () => {
    const folder = siteOf('http://127.0.0.1:9/v1');
    const machine = `${folder}/machine.json`;
    const text = readFileSync(machine, 'utf8');
    const passing = passingTime();
    const agent = agentInProcess(folder);
    const says = async (words: string): Promise<unknown> => await passing(agent.until(words));
    await says('refused the connection');
    writeFileSync(machine, '{');
    await says('because 1:2 BAD_JSON');
    rmSync(machine);
    await says('machine.json" does not exist');
    rmSync(`${folder}/policy.json`);
    writeFileSync(machine, text);
    await says('policy.json" does not exist');
    expect((await said(folder, 'status')).join()).toContain('the configuration cannot be read: ');
    await agent.end('SIGTERM');
  });

  it('as root, lets the user of its modules enter its folder, or says which folder is closed', async (context) => {
    needs(context, process.getuid?.() === 0, 'only root runs modules as another user');
    const folder = siteOf('http://127.0.0.1:9/v1');
    writeFileSync(`${folder}/policy.json`, '{"registry":"http://127.0.0.1:9","run_as":"nobody"}');
    chmodSync(folder, 0o755);
    chmodSync(`${folder}/home`, 0o700);
    const agent = agentInProcess(folder);
    await agent.until('running 1 module');
    expect(statSync(`${folder}/home`).mode & 0o777).toBe(0o711);
    await agent.end('SIGTERM');
    chmodSync(folder, 0o700);
    expect(await said(folder, 'run', `${folder}/machine.json`)).toEqual([
      'error[USAGE]: the user that the module runs as may not enter "@"; change its mode, or set PLATFORM_HOME to another folder',
    ]);
  });
});
