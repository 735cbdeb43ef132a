import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { ROOT } from '../support/modreg.ts';
import { blocksOf, pageAt } from '../support/pages.ts';
import { agentRunning } from '../support/polling.ts';
import { servedHere } from '../support/served-here.ts';
import { sh } from '../support/shell.ts';

const BLOCKS = blocksOf(pageAt('docs/running-the-agent.md'));

/** Each command of the page's sessions, and what it prints. */
const SESSIONS = new Map(
  BLOCKS.filter(({ language }) => language === 'sh-session')
    .flatMap(({ content }) => content.split(/^\$ /m).slice(1))
    .map((session) => {
      const [command = '', ...lines] = session.trimEnd().split('\n');
      return [command, lines.map(masked)] as const;
    }),
);

function masked(line: string): string {
  return line
    .replace(/^20\d\d-\d\d-\d\dT[\d:.]+Z/, 'TIME')
    .replace(/process \d+/, 'process PID')
    .replace(/\d+ bytes/, 'N bytes')
    .replace(/runs in \/.*\/packages/, 'runs in HOME/packages')
    .replace(/(?<=lidar\/1\.[01]\.0-)[\da-f]{12}$/, 'DIGEST')
    .replace(/ \d+ +\d+ MB/, ' PID MEMORY');
}

const isOfModule = (line: string): boolean => line.includes(' runs in ');

/** The lines of the agent in their order, and then those of the module, which begins to print while the agent goes on. */
function ordered(lines: readonly string[] = []): readonly string[] {
  return [...lines.filter((line) => !isOfModule(line)), ...lines.filter(isOfModule)];
}

it('a folder becomes a running module, as the page shows', async () => {
  const folder = temporaryFolder();
  const environment = { PLATFORM_HOME: `${folder}/home` };
  mkdirSync(environment.PLATFORM_HOME);
  const played = async (command: string): Promise<readonly string[]> => {
    const args = command.split(' ').slice(1);
    const { stdout, stderr } = await inProcess(
      args.map((arg) => (arg.endsWith('.tgz') ? `${folder}/${arg}` : arg)),
      environment,
    );
    return `${stdout}${stderr}`.trimEnd().split('\n').map(masked);
  };
  sh(`tar czf ${folder}/lidar-1.0.0.tgz -C ${ROOT}examples/module .`);
  const [first = '', next = '', logs = '', status = ''] = [...SESSIONS.keys()].filter((command) =>
    /publish|logs|status/.test(command),
  );
  expect(await played(first)).toEqual(SESSIONS.get(first));
  const { address } = await servedHere(`${environment.PLATFORM_HOME}/registry.db`);
  const runAs = process.getuid?.() === 0 ? { run_as: 'root' } : {};
  for (const { path, content } of BLOCKS) {
    if (path === undefined) continue;
    const document = Object(JSON.parse(content)) as object;
    const site = path === 'policy.json' ? { registry: address, ...runAs } : {};
    writeFileSync(`${folder}/${path}`, JSON.stringify({ ...document, ...site }));
  }
  const timers = `--import=${ROOT}test/docs/support/fast-timers.ts`;
  const agent = agentRunning(folder, [], { NODE_OPTIONS: timers });
  const lines = await agent.until('lidar: install of 1.0.0: done');
  expect(ordered(lines.map((line) => masked(line).replace(`${folder}/`, '')))).toEqual(
    ordered(SESSIONS.get('modreg agent run machine.json --interval 5s')),
  );
  expect(await played(next)).toEqual(SESSIONS.get(next));
  await agent.until('lidar: upgrade 1.0.0 → 1.1.0: done');
  // The log is written a moment after it is printed.
  await expect.poll(async () => (await played(logs)).at(-1)).toMatch(/→ 1\.1\.0: done$/);
  expect(ordered(await played(logs))).toEqual(ordered(SESSIONS.get(logs)));
  expect((await played(status)).map((line) => line.trimEnd())).toEqual(SESSIONS.get(status));
  await agent.end('SIGTERM');
});
