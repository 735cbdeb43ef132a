/** Moves to the beginning of the line and removes it. */
const CLEAR = '\r\u001B[K';

/** A line at the end of a terminal, below the lines of a log. */
export interface StatusLine {
  /** Shows `text` in place of what it showed; undefined shows nothing. */
  readonly show: (text: string | undefined) => void;
  /** Removes it while `write` writes a line. */
  readonly around: (write: () => void) => void;
}

/** The line of `stream`, which is not shown if that is no terminal or, with `TERM=dumb`, one that cannot remove it. */
export function statusLine(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & {
    readonly write: (text: string) => void;
  },
  { TERM }: Readonly<Record<string, string | undefined>>,
): StatusLine {
  let shown = '';
  const isUsable = stream.isTTY && TERM !== 'dumb';
  const draw = (text: string): void => {
    shown = text;
    stream.write(`${CLEAR}${text}`);
  };
  return {
    show: (text = '') => {
      // A line that fills the terminal would wrap.
      const fitting = text.slice(0, stream.columns - 1);
      if (isUsable && fitting !== shown) draw(fitting);
    },
    around: (write) => {
      const before = shown;
      if (before !== '') draw('');
      write();
      if (before !== '') draw(before);
    },
  };
}
