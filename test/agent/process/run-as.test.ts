import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runAsOf, whyClosed } from '../../../src/agent/process/run-as.ts';
import { temporaryFolder } from '../../support/folder.ts';

const PASSWD = [
  'root:x:0:0:root:/root:/bin/sh',
  'rover-arm:x:1002:1003::/:/bin/sh',
  'rover:x:1000:1001:,,,:/home/rover:/bin/sh',
  'modreg-modules:x:998:997::/:/usr/sbin/nologin',
  '',
].join('\n');

describe('a module runs as', () => {
  it.each<[string | undefined, number, unknown]>([
    [undefined, 0, { uid: 998, gid: 997 }],
    ['rover', 0, { uid: 1000, gid: 1001 }],
    ['root', 0, { uid: 0, gid: 0 }],
    [undefined, 1000, undefined],
    ['rover', 1000, undefined],
    ['root', 1000, 'the policy says run_as "root", which only an agent that runs as root can do'],
    [
      'nobody',
      0,
      'there is no user "nobody" to run modules as; create it: useradd --system --user-group --no-create-home --shell /usr/sbin/nologin nobody, or name another one with run_as in the policy',
    ],
  ])('run_as %s, agent %i', (named, uid, expected) => {
    const passwd = `${temporaryFolder({ passwd: PASSWD })}/passwd`;
    const result = runAsOf(named, { uid, passwd });
    expect(result.ok ? result.value : result.error).toEqual(expected);
  });
});

describe('a package below a folder that its user may not enter', () => {
  const user = { uid: 54_321, gid: 54_321 };

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
  ])('of whose group the user is: %o', (mode, expected) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o755);
    mkdirSync(`${folder}/outer/package`, { recursive: true });
    chmodSync(`${folder}/outer`, mode);
    const member = { uid: 54_321, gid: statSync(`${folder}/outer`).gid };
    expect(whyClosed(`${folder}/outer/package`, member) && 'closed').toBe(expected);
  });

  it('is no obstacle for root', () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o700);
    expect(whyClosed(`${folder}/package`, { uid: 0, gid: 0 })).toBeUndefined();
  });
});
