import type { Eligibility } from '../../src/core/index.ts';

/** What finds enough signatures of these versions, and after `yank ` of their yanks, and one of two of each other. `asked` gets each version that is checked. */
export function trusting(
  ...signed: readonly string[]
): NonNullable<Eligibility['trust']> & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    check({ version }, what) {
      const text = what ? `${what} ${version.text}` : version.text;
      asked.push(text);
      return signed.includes(text) ? undefined : { reason: 'unsigned', signed: 1, needed: 2 };
    },
  };
}
