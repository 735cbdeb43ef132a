import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { userName } from '../../src/cli/user-name.ts';
import { inProcess } from '../support/in-process.ts';
import { patient } from './support/patient.ts';

/** What Node does for a number without a user. */
function noSuchUser(): never {
  throw Object.assign(new Error('ENOENT'), { code: 'ERR_SYSTEM_ERROR' });
}

describe('[T519] who holds a machine', () => {
  const SYSTEM = userInfo().username;
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['the user of the system, if no variable has the name', {}, SYSTEM],
    ['the same if the variables are empty', { SUDO_USER: '', USER: '', LOGNAME: '' }, SYSTEM],
    ['LOGNAME', { LOGNAME: 'ada' }, 'ada'],
    ['USER, before it', { USER: 'ada', LOGNAME: 'bob' }, 'ada'],
    ['who called sudo, before all', { SUDO_USER: 'ada', USER: 'root' }, 'ada'],
  ])('%s', async (_what, variables, name) => {
    const folder = patient(() => undefined);
    const environment = { PLATFORM_HOME: `${folder}/home`, ...variables };
    const command = ['hold', '--for', '1h', '--reason', 'fair', '--json'];
    const { stdout, stderr } = await inProcess(command, environment);
    expect([JSON.parse(stdout), stderr]).toEqual([expect.objectContaining({ by: name }), '']);
  });

  it('a user without a name, by the number', () => {
    expect(userName({ info: noSuchUser, uid: 54_321 })).toBe('uid 54321');
  });
});
