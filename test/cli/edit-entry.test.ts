import { describe, expect, it } from 'vitest';
import { contentOf, folderWith, MACHINE, NOW } from './support/adding.ts';
import { printed, type Printed } from '../support/command.ts';

/** Runs a command on the machine config in `folder`. */
async function editing(folder: string, command: string): Promise<Printed> {
  const [name = '', ...rest] = command.split(' ');
  const operands = name === 'set' ? 2 : 1;
  const args = [...rest.slice(0, operands), `${folder}/machine.json`, ...rest.slice(operands)];
  const { stdout, stderr, exit } = await printed([name, ...args], { clock: () => NOW });
  const shown = (line: string): string => line.replaceAll(folder, '.');
  return { stdout: stdout.map(shown), stderr: stderr.map(shown), exit };
}

function entryOf(name: string): string {
  return `{"type":"registry","name":"${name}","module_id":"acme:${name}","version":"1.*"}`;
}

/** `text` with an entry for each `A` and `B`. */
function filled(text: string): string {
  return text.replaceAll('A', entryOf('a')).replaceAll('B', entryOf('b'));
}

const WITH_COMPONENT = `{
  "components": [
    { "name": "left", "namespace": "rdk", "type": "base", "model": "acme:base:wheel" }
  ],
  "modules": [
    { "type": "registry", "name": "acme_base", "module_id": "acme:base", "version": "1.*" }, // kept
    { "type": "registry", "name": "one", "module_id": "acme:lidar", "version": "1.2.8" },
    /* also kept */
    { "type": "registry", "name": "two", "module_id": "acme:cam", "version": "latest" }
  ]
}
`;

describe('[D291] modreg set changes the version of an entry, and nothing else', () => {
  it('shows the change and what is planned', async () => {
    const folder = folderWith(WITH_COMPONENT);
    expect(await editing(folder, 'set one 1.2.*')).toEqual({
      stdout: [
        './machine.json:7 "1.2.8" -> "1.2.*"',
        'planned: stuck: the deployed version is not known',
      ],
      stderr: [],
      exit: 0,
    });
    expect(contentOf(folder)).toBe(WITH_COMPONENT.replace('"1.2.8"', '"1.2.*"'));
  });

  it('takes the name or the module_id, and keeps comments', async () => {
    const folder = folderWith();
    const { stdout, exit } = await editing(folder, 'set acme:base 1.4.*');
    expect([stdout[0], exit]).toEqual(['./machine.json:9 "1.*" -> "1.4.*"', 0]);
    expect(contentOf(folder)).toBe(MACHINE.replace('"1.*" //', '"1.4.*" //'));
  });

  it('changes nothing with --dry-run', async () => {
    const folder = folderWith();
    const { stdout, exit } = await editing(folder, 'set acme_base latest --dry-run');
    expect([stdout[0], stdout.at(-1), exit]).toEqual([
      './machine.json:9 "1.*" -> "latest"',
      'nothing was changed',
      0,
    ]);
    expect(contentOf(folder)).toBe(MACHINE);
  });

  it('prints JSON', async () => {
    const folder = folderWith();
    const { stdout } = await editing(folder, 'set acme_base 1.5.* --json');
    expect(stdout.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        schema: 'modreg/set@1',
        file: './machine.json',
        name: 'acme_base',
        module_id: 'acme:base',
        from: '1.*',
        to: '1.5.*',
        decision: 'stuck',
        why: 'the deployed version is not known',
        changed: true,
      },
    ]);
  });

  it.each([
    [
      'set own 1.*',
      'error[USAGE]: the module entry own is local, and has no version; nothing was changed',
      2,
    ],
    [
      'set acme:bas 1.*',
      'error[UNKNOWN_REFERENCE]: ./machine.json has no module entry "acme:bas"; nothing was changed',
      1,
    ],
    ['set acme:base 1.x', 'error[BAD_CONSTRAINT]: "1.x" is not a version constraint', 2],
  ])('%s', async (command, line, exit) => {
    const folder = folderWith();
    const found = await editing(folder, command);
    expect([found.stdout, found.stderr[0], found.exit]).toEqual([[], line, exit]);
    expect(contentOf(folder)).toBe(MACHINE);
  });
});

describe('[D291] modreg remove removes an entry, and nothing else', () => {
  it.each([
    ['one', 7, 'acme:lidar as one', [/\n {4}\{[^\n]*"one"[^\n]*/]],
    ['acme:cam', 9, 'acme:cam as two', [/\n {4}\{[^\n]*"two"[^\n]*/, /(?<="1.2.8" \}),/]],
  ])('%s', async (named, line, what, lost) => {
    const folder = folderWith(WITH_COMPONENT);
    expect(await editing(folder, `remove ${named}`)).toEqual({
      stdout: [`./machine.json:${line} removed ${what}; its data stays`],
      stderr: [],
      exit: 0,
    });
    const left = lost.reduce<string>((text, part) => text.replace(part, ''), WITH_COMPONENT);
    expect(contentOf(folder)).toBe(left);
    expect((await printed(['check', `${folder}/machine.json`])).exit).toBe(0);
  });

  it.each([
    ['on one line', '{"modules":[A, B]}', '{"modules":[B]}', '{"modules":[A]}'],
    [
      'with Windows lines',
      '{"modules":[\r\n  A,\r\n  B\r\n]}',
      '{"modules":[\r\n  B\r\n]}',
      '{"modules":[\r\n  A\r\n]}',
    ],
    [
      'with comments around the comma',
      '{"modules":[\n  A /* a, a */, // after\n  B // b\n]}',
      '{"modules":[\n  /* a, a */ // after\n  B // b\n]}',
      '{"modules":[\n  A /* a, a */ // after\n  // b\n]}',
    ],
    ['that is the only one', '{"modules":[A]}', '{"modules":[]}', undefined],
  ])('an entry %s', async (_, text, withoutA, withoutB) => {
    for (const [name, left] of [
      ['a', withoutA],
      ['b', withoutB],
    ] as const) {
      if (left === undefined) continue;
      const folder = folderWith(filled(text));
      expect((await editing(folder, `remove ${name}`)).exit).toBe(0);
      expect(contentOf(folder)).toBe(filled(left));
    }
  });

  it('refuses to remove the module of a component', async () => {
    const folder = folderWith(WITH_COMPONENT);
    const { stdout, stderr, exit } = await editing(folder, 'remove acme_base');
    expect([stdout, exit]).toEqual([[], 1]);
    expect(stderr).toEqual([
      'error[UNKNOWN_REFERENCE]: ./machine.json:3:68 /components/0/model: no module entry has the module_id acme:base; add the module that provides this model',
      'hint: remove these components first; nothing was changed',
    ]);
    expect(contentOf(folder)).toBe(WITH_COMPONENT);
  });

  it('changes nothing with --dry-run', async () => {
    const folder = folderWith(WITH_COMPONENT);
    expect((await editing(folder, 'remove one --dry-run')).stdout).toEqual([
      './machine.json:7 removed acme:lidar as one; its data stays',
      'nothing was changed',
    ]);
    expect(contentOf(folder)).toBe(WITH_COMPONENT);
  });
});
