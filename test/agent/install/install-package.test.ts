import { readdirSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { install, PLACE } from '../../support/installing.ts';
import { packageServer } from '../../support/package-server.ts';
import { packageFile } from '../../support/tar-file.ts';

it('[A14] installs a package, and finds it installed', async () => {
  const home = temporaryFolder();
  const server = await packageServer(packageFile());
  const root = `${home}/${PLACE}`;
  const expected = {
    ok: true,
    value: {
      root,
      entryPoint: `${root}/bin/lidar`,
      arguments: [],
      firstRun: undefined,
      ready: { kind: 'none' },
      stopTimeoutMs: undefined,
    },
  };
  expect(await install(home, server.artifact)).toEqual(expected);
  expect(readFileSync(`${root}/bin/lidar`, 'utf8')).toBe('#!/bin/sh\necho lidar\n');
  expect(statSync(`${root}/bin/lidar`).mode & 0o7777).toBe(0o755);
  expect(readdirSync(`${home}/staging`)).toEqual([]);
  expect(readdirSync(`${home}/downloads`)).toEqual([]);
  expect(await install(home, server.artifact)).toEqual(expected);
  expect(server.requests).toEqual(['/lidar.tgz']);
});
