/** Is told of each change that a person made, with what it is about, as the log of a registry has it. */
export type OnChange = (kind: string, about: Readonly<Record<string, string | number>>) => void;
