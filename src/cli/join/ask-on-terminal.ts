/** The answer of a person to a question; undefined if nobody can be asked. */
export type Ask = (question: string) => Promise<string | undefined>;

export const askOnTerminal: Ask = async (question) => {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) return undefined;
  stderr.write(question);
  // A terminal sends a line at a time.
  for await (const line of stdin) return String(line);
  return undefined;
};
