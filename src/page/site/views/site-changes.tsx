import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { ChangePage } from '../../../site/change-history.ts';
import { documentsPath } from './site-documents.tsx';
import { At, machinePath, rolloutPath } from './site-words.tsx';

type Change = ChangePage['changes'][number];

/** What was changed, when, by whom and why, the newest first (D324, D443, D457). */
export const ChangesView: FC<{
  readonly page: ChangePage;
  readonly machine: string | undefined;
  readonly now: number;
}> = ({ page: { changes, next }, machine, now }) => (
  <>
    <h1>{machine === undefined ? 'Changes' : `Changes of ${excerpt(machine)}`}</h1>
    {changes.length === 0 ? <p>Nothing was changed.</p> : null}
    <ol>
      {changes.map((change) => (
        <li>
          <At ms={change.at} now={now} /> <What thing={change.thing} />{' '}
          {change.author === undefined
            ? '(the log of the registry says who)'
            : `by ${excerpt(change.author)}`}
          {change.reason === undefined ? null : `: ${excerpt(change.reason)}`}
        </li>
      ))}
    </ol>
    <p class="actions">
      {next === undefined ? null : <a href={earlierPath(next, machine)}>Earlier changes</a>}
      {machine === undefined ? null : <a href={machinePath(machine)}>{excerpt(machine)}</a>}
    </p>
  </>
);

const What: FC<{ readonly thing: Change['thing'] }> = ({ thing }) => {
  switch (thing.kind) {
    case 'documents': {
      const path = `${documentsPath(thing.machine)}/${thing.revision}`;
      return (
        <a href={path}>
          {excerpt(thing.machine)}: revision {thing.revision}
        </a>
      );
    }
    case 'commands':
      return (
        <a href={`${machinePath(thing.machine)}/commands`}>
          {excerpt(thing.machine)}: {thing.command}
          {thing.module === undefined ? null : ` ${excerpt(thing.module)}`}
          {thing.version === undefined ? null : ` ${excerpt(thing.version)}`}
          {thing.term === undefined ? null : ` for ${excerpt(thing.term)}`}
          {thing.result === undefined ? null : ` (${thing.result})`}
        </a>
      );
    case 'rollouts':
      return (
        <a href={rolloutPath(thing)}>
          {thing.moduleId} {thing.version}: rollout {thing.event}
        </a>
      );
    case 'fragments':
      return (
        <>
          fragment {excerpt(thing.name)}: revision {thing.revision}
        </>
      );
    case 'others':
      return <Other thing={thing} />;
  }
};

/** `rover-7: secret set MAPS_KEY`, `account removed ada`; never a value. */
const Other: FC<{ readonly thing: Extract<Change['thing'], { readonly kind: 'others' }> }> = ({
  thing: { what, machine, name },
}) => (
  <>
    {machine === undefined ? null : (
      <>
        <a href={machinePath(machine)}>{excerpt(machine)}</a>:{' '}
      </>
    )}
    {excerpt(what.replaceAll('-', ' '))}
    {name === undefined ? null : ` ${excerpt(name)}`}
  </>
);

function earlierPath(next: NonNullable<ChangePage['next']>, machine: string | undefined): string {
  const query = new URLSearchParams(machine === undefined ? {} : { machine });
  for (const [kind, place] of Object.entries(next)) query.set(kind, `${place}`);
  return `/changes?${query.toString()}`;
}
