import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { MachineDocuments, ShownRevision } from '../../../site/served-documents.ts';
import type { PageProblem } from '../../page-problem.ts';
import { Difference } from '../../views/difference.tsx';
import { Problems } from '../../views/modules-view.tsx';
import { isOffered } from '../../views/signed-in.ts';
import { At, machinePath } from './site-words.tsx';
import { WholeDocuments } from './whole-documents.tsx';

/** The revisions of the documents that a registry serves to a machine, the newest first. */
export const DocumentsView: FC<{ readonly documents: MachineDocuments; readonly now: number }> = ({
  documents: { machine, revisions },
  now,
}) => (
  <>
    <h1>Documents of {excerpt(machine)}</h1>
    {revisions.length === 0 ? <NoDocuments machine={machine} /> : null}
    <ol>
      {revisions.map(({ revision, at, author, reason }) => (
        <li>
          <At ms={at} now={now} />{' '}
          <a href={`${documentsPath(machine)}/${revision}`}>revision {revision}</a> by{' '}
          {excerpt(author)}: {excerpt(reason)}
        </li>
      ))}
    </ol>
    <p>
      <a href={machinePath(machine)}>{excerpt(machine)}</a>
    </p>
  </>
);

/** What to do where the registry serves nothing to a machine (T729). */
const NoDocuments: FC<{ readonly machine: string }> = ({ machine }) => (
  <p>
    This registry serves no documents to it, so its versions are changed on the machine. To change
    them here, save its machine config with{' '}
    <code>modreg fleet config set machine.json --machine {excerpt(machine)} --reason first</code>,
    and start its agent with <code>--config-from</code> and the address of this registry.
  </p>
);

export function documentsPath(machine: string): string {
  return `${machinePath(machine)}/documents`;
}

/** A revision: what it changed, and the form that saves it again. */
export const RevisionView: FC<{ readonly shown: ShownRevision; readonly now: number }> = ({
  shown: { revision, newest, changes, restoring, documents },
  now,
}) => {
  const { machine, revision: number, at, author, reason, signatures } = revision;
  const path = documentsPath(machine);
  return (
    <>
      <h1>
        Revision {number} of the documents of {excerpt(machine)}
      </h1>
      <p>
        Saved <At ms={at} now={now} /> by {excerpt(author)}: {excerpt(reason)}
        {signatures === 0 ? null : `; operators signed it ${signatures} times`}
      </p>
      <h2>What it changed</h2>
      <Difference lines={changes} />
      <WholeDocuments documents={documents} />
      {number === newest || !isOffered('admin') ? null : (
        <>
          <h2>Restore it</h2>
          <p>It is saved as the next revision, which changes:</p>
          <Difference lines={restoring} />
          <form method="post" action={`${path}/${number}/restore`}>
            <input type="hidden" name="based_on" value={`${newest}`} />
            <ReasonField />
            <button>Restore revision {number}</button>
          </form>
        </>
      )}
      <p>
        <a href={path}>All revisions</a>
      </p>
    </>
  );
};

export const ReasonField: FC = () => (
  <p>
    <label>
      reason, which the history has <input name="reason" required maxlength={200} size={40} />
    </label>
  </p>
);

/** Another person saved a revision meanwhile (D323). */
export const StaleView: FC<{
  readonly machine: string;
  readonly problem: PageProblem;
  readonly since: { readonly newest: number; readonly lines: readonly string[] };
  /** What the person had sent. */
  readonly asked: {
    readonly path: string;
    readonly fields: readonly (readonly [name: string, value: string])[];
  };
}> = ({ machine, problem, since: { newest, lines }, asked: { path, fields } }) => (
  <>
    <h1>This was not done</h1>
    <Problems problems={[problem]} />
    <h2>What changed since</h2>
    <Difference lines={lines} />
    <form method="post" action={path}>
      {fields.map(([name, value]) => (
        <input type="hidden" {...{ name, value: name === 'based_on' ? `${newest}` : value }} />
      ))}
      <button>Save mine on revision {newest}</button>
    </form>
    <p>
      <a href={machinePath(machine)}>Drop it</a>
    </p>
  </>
);
