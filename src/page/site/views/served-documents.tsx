import type { FC } from 'hono/jsx';
import type { ShownMachine } from '../../../site/machines.ts';
import { refusalWords } from '../../../site/refusal-words.ts';
import { Ago } from './site-words.tsx';

const LONGEST = 900;

/** The documents that the registry serves to a machine: which revision it runs, and which it refuses, and why (D266). */
export const ServedDocuments: FC<{
  readonly documents: NonNullable<ShownMachine['documents']>;
  readonly now: number;
}> = ({ documents: { newest, said }, now }) => (
  <>
    <p>
      The newest revision of its documents is {newest}.{' '}
      {said ? (
        <>
          It runs {said.applied === undefined ? 'its own documents' : `revision ${said.applied}`},
          as it said <Ago ms={said.at} now={now} />.
        </>
      ) : (
        'It has not said anything of them: what is saved here changes nothing on it until its agent runs with --config-from and the address of this registry.'
      )}
    </p>
    {said?.refused ? (
      <p class="warning">
        It refuses revision {said.refused.revision}: {refusalWords(said.refused, LONGEST)}
      </p>
    ) : null}
  </>
);
