import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { shWithMounts } from '../support/shell.ts';

it('[T81] /healthz of modreg registry serve is 503 while the disk is full', (context) => {
  const folder = temporaryFolder();
  const [disk, out] = [`${folder}/disk`, `${folder}/out`];
  const status = (code: number): string =>
    `node_modules/.bin/node test/cli/support/until-status.ts "$(cat ${out} | cut -c 14-)/healthz" ${code}`;
  const steps = [
    `mkdir ${disk} && mount -t tmpfs -o size=4m none ${disk}`,
    `{ ./bin/modreg registry serve --create --db ${disk}/registry.db --port 0 > ${out} 2>${folder}/log & }`,
    `until test -s ${out}; do :; done`,
    status(200),
    `{ dd if=/dev/zero of=${disk}/zeros bs=4096 2>${folder}/dd; test -s ${disk}/zeros; }`,
    status(503),
    `rm ${disk}/zeros`,
    status(200),
    `kill $!`,
  ];
  expect(shWithMounts(context, steps)).toBe(
    '200 ok\n503 the registry file cannot be written: the disk is full or read-only\n200 ok\n',
  );
});
