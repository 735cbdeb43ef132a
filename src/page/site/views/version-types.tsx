import type { FC } from 'hono/jsx';
import { excerpt } from '../../../core/text/quote.ts';
import type { VersionTypes } from '../../../site/version-types.ts';
import { ReasonField } from './site-documents.tsx';
import { machinePath } from './site-words.tsx';

/** What each version type of a module would do on a machine, and the form that saves one (D322). */
export const VersionTypesView: FC<{ readonly types: VersionTypes }> = ({
  types: { machine, name, deployed, constraint, revision, types },
}) => (
  <>
    <h1>
      Change the version of {excerpt(name)} of {excerpt(machine)}
    </h1>
    <p>
      deployed {excerpt(deployed ?? 'not reported')}, constraint {excerpt(constraint)} in revision{' '}
      {revision}
    </p>
    <form method="post" action={versionPath(machine, name)}>
      <input type="hidden" name="based_on" value={`${revision}`} />
      <fieldset>
        <legend>Version type</legend>
        {types.map((one) => (
          <Type one={one} />
        ))}
      </fieldset>
      <ReasonField />
      <button>Save</button>
    </form>
    <p>
      <a href={machinePath(machine)}>Do nothing</a>
    </p>
  </>
);

const Type: FC<{ readonly one: VersionTypes['types'][number] }> = ({
  one: { type, constraint, isCurrent, outcome },
}) => (
  <div class="choice">
    <label>
      <input type="radio" name="version" value={constraint} required checked={isCurrent} /> {type}{' '}
      <code>{constraint}</code>
      {isCurrent ? ' (now)' : null}
    </label>{' '}
    <span class="outcome">{outcome ?? 'what the machine would do is not known'}</span>
  </div>
);

/** The address of the version types of a module of a machine. */
export function versionPath(machine: string, name: string): string {
  return `${machinePath(machine)}/modules/${encodeURIComponent(name)}/version`;
}
