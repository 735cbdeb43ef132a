import { describe, expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { loopbackRegistry } from '../support/loopback.ts';
import { passingTime } from '../support/passing-time.ts';
import { tokenFor } from '../support/token.ts';

const FILELESS =
  "1.4.0 would have no file, and none could be added later: modreg's agent could not install it; add --upload <file>";

describe('[D465] registry publish --dry-run ends as the publication would: it would not publish', () => {
  it.each<[string, { readonly scopes?: string[] }, string, string]>([
    [
      'without a token',
      {},
      'error[REGISTRY_REFUSED]: the publication would be refused: the registry ADDRESS denies access without a token (401): the request has no bearer token',
      'hint: set MODREG_TOKEN to a token, or add the line "ADDRESS <token>" to $PLATFORM_HOME/tokens (mode 0600)',
    ],
    [
      'with a token that does not have the scope',
      { scopes: ['yank', 'fleet:read'] },
      'error[REGISTRY_REFUSED]: the publication would be refused: the registry ADDRESS denies access with the token that was sent (403): the token t1 (author) does not have the scope publish:acme',
      'hint: its operator creates a token with it: modreg registry token create --name <name> --scope publish:acme',
    ],
  ])('anything, %s', async (_what, { scopes }, line, hint) => {
    const { address, catalogue } = await loopbackRegistry();
    const args = ['registry', 'publish', 'acme:lidar', '1.4.0', '--dry-run', '--registry', address];
    const environment = { ...(scopes && { MODREG_TOKEN: tokenFor(catalogue, scopes, 'author') }) };
    const { stderr, exit } = await printed(args, { environment });
    const shown = stderr.map((one) => one.replaceAll(address, 'ADDRESS'));
    expect([shown, exit]).toEqual([['nothing was changed', FILELESS, line, hint], 4]);
    const { stdout } = await printed([...args, '--json'], { environment });
    const { refused, without_file } = JSON.parse(stdout[0] ?? '');
    const [, found] = line.split(': the publication would be refused: ');
    expect([refused.replaceAll(address, 'ADDRESS'), without_file]).toEqual([found, true]);
    expect(catalogue.document('acme:lidar' as never)).toBeUndefined();
  });

  it('anything, at a registry that does not answer', async () => {
    const args = ['1.4.0', '--dry-run', '--registry', 'http://127.0.0.1:1'];
    const run = printed(['registry', 'publish', 'acme:lidar', ...args], {});
    const { stderr, exit } = await passingTime()(run);
    expect([stderr, exit]).toEqual([
      [
        'nothing was changed',
        FILELESS,
        'error[REGISTRY_UNREACHABLE]: the publication would fail: the registry http://127.0.0.1:1 refused the connection',
        'hint: nothing listens at this address: check it, and whether the registry is served; then run the command again, which changes nothing twice',
      ],
      4,
    ]);
  });

  it('anything, at a path in place of an address', async () => {
    const args = ['registry', 'publish', 'acme:lidar', '1.4.0', '--dry-run', '--registry', './x'];
    const { stderr, exit } = await printed(args);
    expect([stderr, exit]).toEqual([
      [
        'nothing was changed',
        FILELESS,
        'error[USAGE]: the publication would fail: --registry is a path, expected an address',
        'hint: --db names the file of a registry',
      ],
      2,
    ]);
  });

  it('anything, into a file that is not there and would not be created', async () => {
    const db = `${temporaryFolder()}/none.db`;
    const args = ['registry', 'publish', 'acme:lidar', '1.4.0', '--dry-run', '--db', db];
    const { stderr, exit } = await printed(args);
    expect([stderr.map((line) => line.replace(db, 'none.db')), exit]).toEqual([
      [
        'nothing was changed',
        'error[UNREADABLE_FILE]: the publication would fail: "none.db": there is no such file',
        'hint: check the path; publish, token create, keys init and serve create the file if --create is passed',
      ],
      2,
    ]);
  });
});
