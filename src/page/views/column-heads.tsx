import type { FC } from 'hono/jsx';

/** The first row of a table. */
export const ColumnHeads: FC<{ readonly of: readonly string[] }> = ({ of }) => (
  <thead>
    <tr>
      {of.map((head) => (
        <th scope="col">{head}</th>
      ))}
    </tr>
  </thead>
);
