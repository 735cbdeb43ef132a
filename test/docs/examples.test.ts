import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { decodeReleaseDocument } from '../support/decoded-list.ts';
import { checkDocument } from '../../src/config/index.ts';
import { moduleId } from '../support/ask.ts';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';
import { LONGEST_MS, ROOT } from '../support/modreg.ts';
import { blocksOf, pageAt, PAGES, type Page } from '../support/pages.ts';

/** What a command prints to stdout, and then to stderr. */
function run(command: string, args: readonly string[]): string {
  const options = {
    cwd: ROOT,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    timeout: LONGEST_MS,
  } as const;
  const { stdout, stderr } = spawnSync(command, args, options);
  return stdout + stderr;
}

/** Commands that are not run here: they take minutes, install packages, or run this test. */
const NOT_RUN = /^(npm ci$|npm test|npm run |MODREG_\w+=\S+ npm )/;

function commandsOf(page: Page): (readonly [command: string, printed: string])[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'console')
    .flatMap(({ content }) => content.split(/^\$ /m).slice(1))
    .map((session) => session.replace(/^npm ci && /, ''))
    .map((session) => {
      const end = session.indexOf('\n');
      return [session.slice(0, end), session.slice(end + 1).replace(/\n+$/, '')] as const;
    })
    .filter(([command]) => !NOT_RUN.test(command));
}

function programsOf(page: Page): (readonly [program: string, printed: string | undefined])[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, content }, place) => {
    const next = blocks[place + 1];
    return language === 'ts' ? [[content, next?.language === 'text' ? next.content : '']] : [];
  });
}

const COMMANDS = PAGES.flatMap((page) =>
  commandsOf(page).map(([command, printed]) => [page.path, command, printed] as const),
);
const PROGRAMS = PAGES.flatMap((page) =>
  programsOf(page).map(
    ([program, printed], place) => [page.path, place + 1, program, printed] as const,
  ),
);

/** What each command prints. Two pages may show the same one. */
const RAN = new Map<string, string>();

/** What a command of a page prints: in this process, if it is words without meaning for a shell. */
async function ran(command: string): Promise<string> {
  const [program, ...args] = command.split(' ');
  const isPlain = program === './bin/modreg' && /^[\w ./:-]+$/.test(command);
  if (!isPlain || args[0] === 'agent') return run('sh', ['-c', command]);
  const { stdout, stderr } = await inProcess(args);
  return stdout + stderr;
}

it.each(COMMANDS)('%s: $ %s', async (_page, command, printed) => {
  const output = RAN.get(command) ?? (await ran(command));
  RAN.set(command, output);
  expect(output.trimEnd()).toBe(printed);
});

it.each(PROGRAMS)('%s: program %i prints what the page says', (page, _place, program, printed) => {
  const node = join(ROOT, 'node_modules/.bin/node');
  // The program works in a temporary folder with the files of its page, but resolves its packages from the root.
  const inside = `process.chdir('${folderWithFilesOf(pageAt(page))}');\n${program}`;
  const timers = `--import=${join(import.meta.dirname, 'support/fast-timers.ts')}`;
  const hurried = program.includes("from 'modreg/poller'") ? [timers] : [];
  expect(run(node, [...hurried, '--input-type=module-typescript', '-e', inside])).toBe(printed);
});

function folderWithFilesOf(page: Page): string {
  const folder = temporaryFolder();
  for (const { path, content } of blocksOf(page)) {
    if (path === undefined) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

it('finds commands and programs', () => {
  expect(COMMANDS.length).toBeGreaterThan(10);
  expect(PROGRAMS.length).toBeGreaterThan(3);
});

it('shows examples/first-agent.ts, and the examples compile', () => {
  const programs = programsOf(pageAt('docs/embedding.md')).map(([program]) => program);
  expect(programs).toContain(readFileSync(join(ROOT, 'examples/first-agent.ts'), 'utf8'));
  expect(run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'examples'])).toBe('');
});

it.each(['first-agent.ts', 'own-agent/agent.ts'])(
  'examples/%s bundles as CommonJS',
  async (name) => {
    const input = join(ROOT, 'examples', name);
    const bundle = await rolldown({ input, external: /^modreg/, platform: 'node' });
    const { output } = await bundle.generate({ format: 'cjs' });
    expect(output.map(({ fileName }) => fileName)).toEqual([basename(name, '.ts') + '.js']);
  },
);

const DOCUMENTS = PAGES.flatMap((page) =>
  blocksOf(page)
    .filter(({ language }) => language === 'json')
    .map(({ content }, place) => [page.path, place + 1, content] as const),
);

/** The problems of a release list, a machine config or an update policy. */
function problemsOf(content: string): readonly unknown[] {
  const document = Object(JSON.parse(content));
  if ('releases' in document) {
    return decodeReleaseDocument(document, moduleId(document.module_id)).dropped;
  }
  const kind = Array.isArray(document.modules) ? 'machine' : 'policy';
  // An example may leave out the components.
  return checkDocument(content, kind).problems.filter((one) => one.kind !== 'unused-module');
}

it.each(DOCUMENTS)('%s: JSON block %i has no problems', (_page, _place, content) => {
  expect(problemsOf(content)).toEqual([]);
});
