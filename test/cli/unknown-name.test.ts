import { expect, it } from 'vitest';
import { printed } from '../support/command.ts';
import { homeAfter, logged } from '../support/machine-home.ts';

/** What a command prints on a machine with these modules. */
async function refused(line: string, ...names: readonly string[]): Promise<readonly string[]> {
  const rows = names.map((name) => logged(name));
  const home = homeAfter((state) => state.log(rows, { at: 1, trouble: undefined }));
  const environment = { PLATFORM_HOME: home };
  return (await printed(line.split(' '), { environment })).stderr;
}

it.each([
  ['acme:lidar@1.2.9', '  did you mean acme:lidar ?'],
  ['acme_lidar@1.2.9', '  did you mean acme_lidar ?'],
  ['acme:lidat', '  did you mean acme:lidar ?'],
])('modreg rollback of %s', async (named, suggestion) => {
  expect(await refused(`rollback ${named}`, 'acme_lidar')).toEqual([
    `error[UNKNOWN_REFERENCE]: "${named}" names no module or subsystem that this machine decides on`,
    suggestion,
    'hint: this machine knows acme:lidar',
  ]);
});

it.each(['restart', 'rollback', 'why'])(
  'modreg %s of a name that the machine does not know lists those that it knows',
  async (command) => {
    const names = Array.from({ length: 12 }, (_, place) => `acme_m${place}`);
    expect(await refused(`${command} nope`, ...names)).toEqual([
      'error[UNKNOWN_REFERENCE]: "nope" names no module or subsystem that this machine decides on',
      'hint: this machine knows acme:m0, acme:m1, acme:m2, acme:m3, acme:m4, acme:m5, acme:m6, acme:m7, acme:m8, acme:m9, 2 more',
    ]);
  },
);

it.each([
  ['status acme_lidar', '  did you mean modreg why acme_lidar ?'],
  ['status --json acme:lidar', '"suggestion":"modreg why acme:lidar"'],
  ['registry list --json acme cam', '"suggestion":null'],
])('[D446] modreg %s names the command that shows one module', async (line, suggestion) => {
  const stderr = (await refused(line, 'acme_lidar')).join('\n');
  expect(stderr).toContain('too many arguments for ');
  expect(stderr).toContain(suggestion);
});
