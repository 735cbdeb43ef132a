import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { TEMPLATES, type Template } from '../../src/cli/module/templates.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runModreg } from '../support/modreg.ts';
import { agentRunning } from '../support/polling.ts';
import { needs } from '../support/prerequisite.ts';
import { serve } from '../support/served-process.ts';
import { SLOWNESS } from '../support/slowness.ts';
import { siteOf } from './support/lidar-site.ts';

/** What an author may wait for all commands from `module init` to a module that runs. */
const MOST_MS = 60_000 * SLOWNESS;
const SOON = { timeout: 60_000 * SLOWNESS, interval: 200 };

/** A program in the language of a template that says why it cannot go on. */
const FAILING: Readonly<Record<Template, string>> = {
  shell: 'echo "no camera at /dev/video9" >&2\nexit 7\n',
  node: "console.error('no camera at /dev/video9');\nprocess.exit(7);\n",
  python: 'import sys\nprint("no camera at /dev/video9", file=sys.stderr)\nsys.exit(7)\n',
};

/** Runs a command as its user does, and returns what it prints. */
async function modreg(command: string, environment: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, exit } = await runModreg(command.split(' '), environment);
  if (exit !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout.trimEnd();
}

/** A registry in a process of its own with an empty module, a machine that follows it, and the token of an author. */
async function site() {
  const db = `${temporaryFolder()}/registry.db`;
  const create = `registry token create --db ${db}`;
  const author = `${create} --create --name ada --scope publish:acme --scope outcomes:acme`;
  const MODREG_TOKEN = (await modreg(author)).split('\n')[0] ?? '';
  const { address } = await serve(db);
  const folder = siteOf(address);
  await modreg(`${create} --machine rover-1 --out ${folder}/credentials.json`);
  const agent = agentRunning(folder, ['--registry', address, '--reports', address], {
    MODREG_CREDENTIALS_FILE: `${folder}/credentials.json`,
  });
  const asAuthor = async (command: string): Promise<string> =>
    await modreg(command, { MODREG_TOKEN, MODREG_REGISTRY: address });
  return { address, agent, asAuthor };
}

it.for(TEMPLATES)(
  '[D243] [D244] [D367] an author makes a module in %s, sees it run, and sees why its next release fails',
  async (template, context) => {
    const isThere = template !== 'python' || existsSync('/usr/bin/python3');
    needs(context, isThere, 'the template of Python needs /usr/bin/python3');
    const { address, agent, asAuthor } = await site();
    const module = `${temporaryFolder()}/lidar`;
    const publish = async (version: string): Promise<void> => {
      await asAuthor(`module check ${module}`);
      await asAuthor(`module pack ${module} --out ${module}-${version}.tgz`);
      const upload = `--upload ${module}-${version}.tgz --registry ${address}`;
      await asAuthor(`registry publish acme:lidar ${version} ${upload}`);
    };

    const begun = performance.now();
    await asAuthor(`module init ${module} --template ${template}`);
    await publish('1.0.0');
    await agent.until('acme_lidar: 1.0.0 runs');
    const took = performance.now() - begun;
    expect(took).toBeLessThan(MOST_MS);

    const [line = ''] = readFileSync(`${module}/run`, 'utf8').split('\n');
    writeFileSync(`${module}/run`, `${line}\n${FAILING[template]}`);
    await publish('1.1.0');
    await expect
      .poll(
        async () => (await asAuthor('registry outcomes acme:lidar')).replace(/20\S+Z/, 'TIME'),
        SOON,
      )
      .toBe(
        [
          'acme:lidar 1.1.0',
          '  failed on 1 machine because of the release (linux/amd64, no group), last TIME: rover-1',
          '    it ended with exit code 7: no camera at /dev/video9',
          'acme:lidar 1.0.0',
          '  runs on 1 machine (linux/amd64, no group): rover-1',
        ].join('\n'),
      );
  },
);
