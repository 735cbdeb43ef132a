import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { inProcess } from '../support/in-process.ts';

it.each([['status'], ['why', 'acme:lidar']])(
  '%s says that the home is not a folder',
  async (...args) => {
    const home = `${temporaryFolder({ home: 'x' })}/home`;
    expect(await inProcess(args, { PLATFORM_HOME: home })).toEqual({
      stdout: '',
      stderr: `error[USAGE]: the state of this machine is not found: "${home}" is not a folder\nhint: set PLATFORM_HOME to a folder\n`,
      exit: 2,
    });
  },
);
