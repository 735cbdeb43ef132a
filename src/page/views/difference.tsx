import type { FC } from 'hono/jsx';

/** The lines of a difference: with `+` what is new, with `-` what was before. */
export const Difference: FC<{ readonly lines: readonly string[] }> = ({ lines }) =>
  lines.length === 0 ? (
    <p>The documents are the same.</p>
  ) : (
    <pre>
      {lines.map((line) => {
        if (line.startsWith('+')) return <ins>{`${line}\n`}</ins>;
        return line.startsWith('-') ? <del>{`${line}\n`}</del> : `${line}\n`;
      })}
    </pre>
  );
