import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor, type Expression } from 'oxc-parser';
import { analyse } from 'scslre';
import { describe, expect, it } from 'vitest';
import { INSTALL_SCRIPT } from '../src/server/routes/install-script.ts';

const SRC = join(import.meta.dirname, '../src');

/** Files that make expressions of parts, which are not analysed here. Each begins with ^ or with text that does not repeat. */
const MADE_OF_PARTS = [
  'agent/system/managed-files.ts',
  'cli/base/paint.ts',
  'cli/demo/demo-command.ts',
  'config/agent.ts',
  'config/component.ts',
  'config/fields/environment-reference.ts',
  'config/fields/wifi.ts',
  'config/text/environment-template.ts',
  'core/text/web-address.ts',
  'registry/formats/github-assets.ts',
  'registry/http/echoed-token.ts',
  'registry/http/masking.ts',
  'registry/machine-report.ts',
  'server/artifacts/incoming-artifacts.ts',
  'server/limits/observed-requests.ts',
  'server/tokens/scope.ts',
];

interface Expressions {
  readonly literals: readonly { readonly pattern: string; readonly flags: string }[];
  readonly isMadeOfParts: boolean;
}

function expressionsIn(file: string): Expressions {
  const literals: { pattern: string; flags: string }[] = [];
  let isMadeOfParts = false;
  const noteCall = (callee: Expression): void => {
    isMadeOfParts ||= callee.type === 'Identifier' && callee.name === 'RegExp';
  };
  const visitor = new Visitor({
    Literal(node) {
      if ('regex' in node) literals.push(node.regex);
    },
    NewExpression: ({ callee }) => noteCall(callee),
    CallExpression: ({ callee }) => noteCall(callee),
  });
  visitor.visit(parseSync(file, readFileSync(join(SRC, file), 'utf8')).program);
  return { literals, isMadeOfParts };
}

/** What looks around for text of any length does so at each place, which the analysis does not count. */
const FAR_LOOK = /\(\?<?[=!](?:[^()\\]|\\.)*[*+]/;

/** Why an expression may take more time than in proportion to the length of a text; empty if it cannot. */
function slowness(source: string, flags: string): string[] {
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: true } });
  const found = reports.map(
    ({ type, exponential }) => `${type}${exponential ? ' exponential' : ''}`,
  );
  return FAR_LOOK.test(source) ? [...found, 'looks far'] : found;
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .toSorted();
const expressions = new Map(files.map((file) => [file, expressionsIn(file)]));
const literals = files.flatMap((file) =>
  (expressions.get(file)?.literals ?? []).map(({ pattern, flags }) => [file, pattern, flags]),
);

describe('[T287] a regular expression takes time in proportion to the length of a text', () => {
  it.each([
    [String.raw`^(a+)+$`, '', ['Self exponential']],
    [String.raw`^\s*\d*\s*$`, '', ['Trade']],
    [String.raw`\/+$`, '', ['Move']],
    [String.raw`(?<=\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#@]*@`, 'gi', ['looks far']],
    [String.raw`^[a-z]+\d+$`, '', []],
  ])('unlike %s with the flags "%s": %j', (source, flags, found) => {
    expect(slowness(source, flags)).toEqual(found);
  });

  it.each(literals)('in %s: /%s/%s', (_file, pattern = '', flags = '') => {
    expect(slowness(pattern, flags)).toEqual([]);
  });

  it('in more than 200 places, and others are made of parts only in known files', () => {
    expect(literals.length).toBeGreaterThan(200);
    const made = files.filter((file) => expressions.get(file)?.isMadeOfParts);
    expect(made).toEqual(MADE_OF_PARTS);
  });
});

it.each([
  ['examples/hook.sh', readFileSync(join(SRC, '../examples/hook.sh'), 'utf8')],
  ['install.sh', INSTALL_SCRIPT],
])('[T285] %s runs curl so that an address is one address', (_file, script) => {
  const calls = script.split('\n').filter((line) => /^ *curl /.test(line));
  expect(calls.map((line) => / -[a-zA-Z]*g| --globoff /.test(line))).toEqual([true]);
});
