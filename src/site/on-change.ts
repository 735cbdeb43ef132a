/** Is told of each change that a person made, with what it is about, as the log of a registry has it, and its author. */
export type OnChange = (
  kind: string,
  about: Readonly<Record<string, string | number>>,
  by: string,
) => void;
