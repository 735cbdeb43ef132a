/** How output is presented. */
export interface Presentation {
  readonly isJson: boolean;
  readonly isDebug: boolean;
  readonly colour: 'auto' | 'always' | 'never';
}

/**
 * The presentation that `argv` asks for. It is found without parsing the command line, because it also
 * applies to the error of a command line that cannot be parsed.
 */
export function presentationOf(argv: readonly string[]): Presentation {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  const given = options.flatMap((option, place) => {
    if (option === '--color') return options[place + 1] ?? [];
    return option.startsWith('--color=') ? option.slice('--color='.length) : [];
  });
  const last = given.at(-1);
  return {
    isJson: options.includes('--json'),
    isDebug: options.includes('--debug'),
    colour: last === 'always' || last === 'never' ? last : 'auto',
  };
}
