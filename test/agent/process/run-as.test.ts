import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runAsOf, whyClosed } from '../../../src/agent/process/run-as.ts';
import type { UserSources } from '../../../src/agent/process/system-user.ts';
import { temporaryFolder } from '../../support/folder.ts';

const PASSWD = [
  'root:x:0:0:root:/root:/bin/sh',
  'rover-arm:x:1002:1003::/:/bin/sh',
  'rover:x:1000:1001:,,,:/home/rover:/bin/sh',
  'modreg-modules:x:998:997::/:/usr/sbin/nologin',
  '',
].join('\n');

const GROUP = [
  'root:x:0:',
  'dialout:x:20:rover,rover-arm',
  'video:x:44:rover-arm',
  'plugdev:x:46:rover',
  '',
].join('\n');
/** A directory of users beside the files, and one that knows their groups. */
const GETENT = `#!/bin/sh
[ "$1 $2" = "passwd remote" ] && echo "remote:*:70001:70002:Remote:/home/remote:/bin/sh"
`;
const ID = '#!/bin/sh\n[ "$1 $2" = "-G remote" ] && echo "70002 70003 20"\n';

/** Users of a machine that has these programs. */
function usersOf(programs: Readonly<Record<string, string>>): UserSources {
  const folder = temporaryFolder({ passwd: PASSWD, group: GROUP, ...programs });
  for (const name of Object.keys(programs)) chmodSync(`${folder}/${name}`, 0o755);
  return { files: folder, programs: `${folder}/bin` };
}

describe('a module runs as', () => {
  it.each<[string | undefined, number, unknown]>([
    [undefined, 0, { uid: 998, gid: 997, groups: [997] }],
    ['rover', 0, { uid: 1000, gid: 1001, groups: [1001, 20, 46] }],
    ['root', 0, { uid: 0, gid: 0, groups: [0] }],
    [undefined, 1000, undefined],
    ['rover', 1000, undefined],
    ['root', 1000, 'the policy says run_as "root", which only an agent that runs as root can do'],
    [
      'nobody',
      0,
      'there is no user "nobody" to run modules as; create it: useradd --system --user-group --no-create-home --shell /usr/sbin/nologin nobody, or name another one with run_as in the policy',
    ],
  ])('run_as %s, agent %i', (named, uid, expected) => {
    const result = runAsOf(named, { uid, sources: usersOf({}) });
    expect(result.ok ? result.value : result.error).toEqual(expected);
  });

  it.each([
    ['remote', { 'bin/getent': GETENT, 'bin/id': ID }, [70_001, 70_002, 70_003, 20]],
    ['remote', { 'bin/getent': GETENT }, [70_001, 70_002]],
    ['rover', { 'bin/id': '#!/bin/sh\nexit 1\n' }, [1000, 1001, 20, 46]],
    ['rover', { 'bin/id': '#!/bin/sh\necho 1001 20 9\n' }, [1000, 1001, 20, 9]],
    ['absent', { 'bin/getent': GETENT, 'bin/id': ID }, undefined],
  ])('[T342] %s, on a machine with %o: uid and groups %j', (named, programs, expected) => {
    const result = runAsOf(named, { uid: 0, sources: usersOf(programs) });
    const user = result.ok ? result.value : undefined;
    expect(user && [user.uid, ...user.groups]).toEqual(expected);
  });
});

describe('a package below a folder that its user may not enter', () => {
  const user = { uid: 54_321, gid: 54_321, groups: [54_321] };

  it.each([
    [0o755, 0o711, undefined],
    [0o755, 0o700, 'inner'],
    [0o700, 0o755, 'outer'],
    [0o700, 0o700, 'outer'],
  ])('%o and %o: %s', (outer, inner, expected) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    mkdirSync(`${folder}/outer/inner/package`, { recursive: true });
    chmodSync(`${folder}/outer/inner`, inner);
    chmodSync(`${folder}/outer`, outer);
    const path = expected === 'inner' ? 'outer/inner' : 'outer';
    expect(whyClosed(`${folder}/outer/inner/package`, user)).toBe(
      expected &&
        `the user that the module runs as may not enter "${folder}/${path}"; change its mode, or set PLATFORM_HOME to another folder`,
    );
  });

  it.each([
    [0o710, undefined],
    [0o701, 'closed'],
  ])('[T342] of whose group the user is: %o', (mode, expected) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    mkdirSync(`${folder}/outer/package`, { recursive: true });
    chmodSync(`${folder}/outer`, mode);
    // It may be a supplementary group (T342).
    const member = { ...user, groups: [54_321, statSync(`${folder}/outer`).gid] };
    expect(whyClosed(`${folder}/outer/package`, member) && 'closed').toBe(expected);
  });

  it('is no obstacle for root', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o700);
    expect(whyClosed(`${folder}/package`, { uid: 0, gid: 0, groups: [0] })).toBeUndefined();
  });
});
