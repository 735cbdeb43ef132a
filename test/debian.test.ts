import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandTree } from '../tools/debian/command-tree.ts';
import { copyrightFile, debianVersion, newestDate } from '../tools/debian/debian-texts.ts';
import { manPages } from '../tools/debian/man-pages.ts';
import { programLicenses, writeProgram } from '../tools/debian/package-tree.ts';
import { temporaryFolder } from './support/folder.ts';
import { ROOT } from './support/modreg.ts';
import { blocksOf, pageAt } from './support/pages.ts';
import { needs } from './support/prerequisite.ts';

const TREE = commandTree();
const PAGES = manPages(TREE, { version: '0.2.0', date: '2026-11-24' });

describe('the manual pages', () => {
  it('has one for each command', () => {
    const names = PAGES.map(({ file }) => file);
    expect(names).toContain('modreg.1');
    expect(names).toContain('modreg-registry-token-create.1');
    expect(new Set(names).size).toBe(names.length);
  });

  it('shows a command as its help does', () => {
    const page = PAGES.find(({ file }) => file === 'modreg-agent-logs.1')?.text.split('\n');
    expect(page?.slice(0, 10)).toEqual([
      '.TH MODREG-AGENT-LOGS 1 2026-11-24 "modreg 0.2.0" "User Commands"',
      '.nh',
      '.SH NAME',
      'modreg\\-agent\\-logs \\- Shows the newest lines that the agent has printed: its own, and those of the modules',
      '.SH SYNOPSIS',
      '.B modreg agent logs',
      '[options] [module]',
      '.SH DESCRIPTION',
      'Shows the newest lines that the agent has printed: its own, and those of the modules.',
      '.SH OPTIONS',
    ]);
    expect(page).toContain('\\fB\\-n\\fR, \\fB\\-\\-lines\\fR \\fI<number>\\fR');
    const examples = page?.slice(page.indexOf('.SH EXAMPLES'));
    expect(examples?.slice(1, 3)).toEqual(['.nf', 'modreg agent logs']);
  });

  it('are roff without a warning', (context) => {
    const isThere = spawnSync('groff', ['--version']).status === 0;
    needs(context, isThere, 'groff is missing: apt-get install groff-base');
    const folder = temporaryFolder();
    const files = PAGES.map(({ file, text }) => {
      writeFileSync(join(folder, file), text);
      return join(folder, file);
    });
    const options = ['-man', '-ww', '-z', '-Tutf8', ...files];
    expect(spawnSync('groff', options, { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });
});

describe('the Debian package', () => {
  it.each([
    ['0.2.0', '0.2.0'],
    ['0.3.0-rc.1', '0.3.0~rc.1'],
  ])('has for %s the version %s', (version, expected) => {
    expect(debianVersion(version)).toBe(expected);
  });

  it('is dated by the newest entry of the changelog', () => {
    const changelog =
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-11-24\n\n## 0.1.0 - 2025-01-01\n';
    expect(newestDate(changelog).toISOString()).toBe('2026-11-24T00:00:00.000Z');
    expect(() => newestDate('# Changelog\n')).toThrow(
      'CHANGELOG.md has no heading such as ## 0.2.0 - 2026-11-24',
    );
  });

  it('has the packages that commands load, and their licenses', () => {
    const node = temporaryFolder();
    mkdirSync(join(node, 'bin'));
    writeFileSync(join(node, 'bin/node'), '');
    // Its path has no node_modules in which Node would look too.
    const home = temporaryFolder();
    writeProgram(home, { root: ROOT, node, version: '0.2.0' });
    const folder = join(home, 'dist/cli');
    const texts = globSync('*.cjs', { cwd: folder }).map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
    const required = texts.flatMap((text) =>
      Array.from(
        text.matchAll(/\brequire\(["'`]([^."'`][^"'`]*)["'`]\)/g),
        ([, name = '']) => name,
      ),
    );
    const names = new Set(required.filter((name) => !isBuiltin(name) && !name.startsWith('@nats')));
    expect([...names]).toEqual(['tldts']);
    const { isSameSite } = createRequire(join(folder, 'main.cjs'))('./same-site.cjs') as {
      readonly isSameSite: (one: URL, other: URL) => boolean;
    };
    expect(isSameSite(new URL('https://a.dlr.de'), new URL('https://b.dlr.de'))).toBe(true);
    expect(isSameSite(new URL('https://a.co.uk'), new URL('https://b.co.uk'))).toBe(false);
    expect(programLicenses(ROOT)).toMatch(/^tldts \d[^]*^Copyright \(c\) .*Rémi Berson$/m);
  });

  it('has each license as a field', () => {
    const text = copyrightFile('MIT\n\nof Node  \n', 'hono 4\n');
    expect(text.slice(text.indexOf('License: Node.js\n ')).split('\n')).toEqual([
      'License: Node.js',
      ' MIT',
      ' .',
      ' of Node',
      '',
      'License: bundled-packages',
      ' hono 4',
      '',
    ]);
  });

  it.each([
    ['docs/running-the-agent.md', 'modreg-agent.service'],
    ['docs/running-a-registry.md', 'modreg-registry.service'],
  ])('%s shows %s', (page, unit) => {
    const text = readFileSync(join(ROOT, 'tools/debian', unit), 'utf8');
    expect(blocksOf(pageAt(page)).map(({ content }) => content)).toContain(text);
  });
});
