import { describe, expect, it } from 'vitest';
import { inProcess } from '../support/in-process.ts';
import { newFile, registry } from './support/registry-command.ts';

const LINK = /^http:\/\/[\da-f]{20}\.localhost:4891\/wall#token=(modreg_[\w-]{43})\n$/;

describe('[D216] modreg registry page wall', () => {
  it('prints a link whose token opens nothing but the wall, and can be revoked', async () => {
    const db = newFile();
    const { stdout, stderr, exit } = await registry(db, 'page', 'wall', '--name', 'lobby');
    const [, token = ''] = LINK.exec(stdout) ?? [];
    expect([exit, stderr]).toEqual([
      0,
      `note: t1 (lobby) opens the wall until it is revoked: modreg registry token revoke t1
note: this is the only time that the link is shown
note: the page has not run here yet; modreg registry page --help shows how to start it
`,
    ]);
    const list = await registry(db, 'token', 'list', '--json');
    expect(list.stdout).toContain('"id":"t1","name":"lobby","scopes":["wall"]');
    expect(list.stdout).not.toContain(token);
    expect((await registry(db, 'token', 'revoke', 'lobby')).stdout).toBe('t1 (lobby) is revoked\n');
  });

  it('prints it as JSON, with its end', async () => {
    const db = newFile();
    const args = ['page', 'wall', '--name', 'lobby', '--expires', '90d', '--json'];
    const { id, name, schema, expires_at, link } = JSON.parse((await registry(db, ...args)).stdout);
    expect([schema, id, name]).toEqual(['modreg/registry-page-wall@1', 't1', 'lobby']);
    expect(`${link}\n`).toMatch(LINK);
    const days = (Date.parse(expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
  });

  it.each([
    [[], 'error[USAGE]: --name is missing: where the wall is, such as lobby\n'],
    [['--name', 'lobby', '--expires', 'soon'], 'error[USAGE]: --expires: "soon"'],
    [['--name', 'a wall'], 'error[USAGE]: "a wall" is not a token\'s name'],
  ])('%j is refused, and makes no token', async (args, message) => {
    const db = newFile();
    const { stdout, stderr, exit } = await registry(db, 'page', 'wall', ...args);
    expect([stdout, exit]).toEqual(['', 2]);
    expect(stderr).toContain(message);
    expect((await registry(db, 'token', 'list')).stdout).toBe('no tokens\n');
  });

  it('of a registry that is not there creates none', async () => {
    const db = `${newFile()}-other`;
    const wall = ['registry', 'page', 'wall', '--name', 'lobby', '--db', db];
    expect((await inProcess(wall, {})).exit).not.toBe(0);
  });
});
