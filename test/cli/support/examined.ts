import { printed } from '../../support/command.ts';

/** The time at which tests run `modreg doctor`. */
export const THEN: number = Date.parse('2026-12-01T12:00:00Z');

interface Examination {
  readonly environment?: Readonly<Record<string, string>>;
  readonly now?: number;
  /** The findings that are shown: all, except what depends on the machine of the test. */
  readonly only?: string;
}

/**
 * What `modreg doctor` prints about the home `folder/home`, with `.` for the folder, `PORT` for each port and `SOME` for the free space,
 * and its exit code. The findings about the system and its users are left out.
 */
export async function examined(
  folder: string,
  args: readonly string[] = [],
  { environment = { PLATFORM_HOME: `${folder}/home` }, now = THEN, only }: Examination = {},
): Promise<readonly (string | number)[]> {
  const { stdout, stderr, exit } = await printed(['doctor', ...args], {
    environment,
    clock: () => now,
  });
  const text = [...stdout, ...stderr]
    .join('\n')
    .replaceAll(folder, '.')
    .replaceAll(/(127\.0\.0\.1[: ])\d+/g, '$1PORT')
    .replaceAll(/\d+ [MG]iB free/g, 'SOME free')
    .replaceAll(/in \d+ ms/g, 'in SOME ms');
  const findings = text.split(/\n(?! )/);
  const left = findings.filter((one) => {
    const [, check = ''] = /^(?:ok|info|warning|error) +(\w+) {2}/.exec(one) ?? [];
    return only === undefined ? !/^(?:system|modules)$/.test(check) : check === only;
  });
  return [...left.flatMap((one) => one.split('\n')), exit];
}
