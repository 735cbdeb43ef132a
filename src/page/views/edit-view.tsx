import type { Child, FC } from 'hono/jsx';
import type { Editable } from '../../config/document-edit.ts';
import { excerpt } from '../../core/text/quote.ts';
import { DAYS, type EditForm } from '../edit-form.ts';
import { blackoutWords, windowWords } from '../window-words.ts';
import { Difference } from './difference.tsx';

interface Shown {
  /** The address of the page, to which those of the edits are added. */
  readonly path: string;
  readonly editable: Editable;
}

/** Small forms for the documents of a machine. Each leads to what it would change (D416). */
export const EditView: FC<
  Shown & {
    /** The modules that are offered; none if they are not known. */
    readonly moduleIds: readonly string[];
    readonly children?: Child;
  }
> = ({ path, editable, moduleIds, children }) => (
  <>
    <h1>Edit modules and policy</h1>
    <p>Each form shows first what it changes.</p>
    {children}
    <h2>Modules</h2>
    <AddModule path={path} moduleIds={moduleIds} />
    <RemoveModule path={path} editable={editable} />
    <h2>When modules may restart</h2>
    <Windows path={path} editable={editable} />
    <h2>When nothing restarts</h2>
    <Blackouts path={path} editable={editable} />
    <h2>How old a release must be</h2>
    <Age path={path} editable={editable} />
  </>
);

const AddModule: FC<{ readonly path: string; readonly moduleIds: readonly string[] }> = ({
  path,
  moduleIds,
}) => (
  <form class="search" action={`${path}/add`}>
    <label>
      module <input name="module_id" required list="module-ids" placeholder="acme:lidar" />
    </label>
    <Choices id="module-ids" of={moduleIds} />
    <label>
      version <input name="version" required list="versions" placeholder="1.* or 1.2.3" />
    </label>
    <Choices id="versions" of={['latest', 'latest-with-prerelease', '1.*']} />
    <label>
      name <input name="name" placeholder="acme_lidar" />
    </label>
    <button data-quiet>Add…</button>
  </form>
);

const Choices: FC<{ readonly id: string; readonly of: readonly string[] }> = ({ id, of }) => (
  <datalist id={id}>
    {of.map((value) => (
      <option value={value} />
    ))}
  </datalist>
);

const RemoveModule: FC<Shown> = ({ path, editable: { modules } }) =>
  modules.length === 0 ? (
    <p>There is no module.</p>
  ) : (
    <form class="search" action={`${path}/remove`}>
      <label>
        module{' '}
        <select name="name">
          {modules.map(({ name }) => (
            <option value={name}>{excerpt(name)}</option>
          ))}
        </select>
      </label>
      <button data-quiet>Remove…</button>
    </form>
  );

const Windows: FC<Shown> = ({ path, editable: { maintenance } }) => (
  <>
    {maintenance.length === 0 ? <p>None is set here.</p> : null}
    {maintenance.map((entry) => (
      <Entry action={`${path}/no-window`} entry={entry} words={windowWords(entry)} />
    ))}
    <form class="search" action={`${path}/window`}>
      <label>
        from <input type="time" name="at" required value="02:00" />
      </label>
      <label>
        for{' '}
        <select name="duration">
          {['30m', '1h', '2h', '4h', '8h'].map((value) => (
            <option selected={value === '2h'}>{value}</option>
          ))}
        </select>
      </label>
      <label>
        on{' '}
        <select name="days">
          {Array.from(DAYS, ([value, words]) => (
            <option value={value}>{words}</option>
          ))}
        </select>
      </label>
      <Zone of={maintenance} />
      <button data-quiet>Add a window…</button>
    </form>
  </>
);

const Blackouts: FC<Shown> = ({ path, editable: { blackout, maintenance } }) => (
  <>
    {blackout.length === 0 ? <p>None is set here.</p> : null}
    {blackout.map((entry) => (
      <Entry action={`${path}/no-blackout`} entry={entry} words={blackoutWords(entry)} />
    ))}
    <form class="search" action={`${path}/blackout`}>
      <label>
        from <input type="date" name="from" required />
      </label>
      <label>
        to <input type="date" name="to" />
      </label>
      <Zone of={[...blackout, ...maintenance]} />
      <label>
        why <input name="why" maxlength={80} />
      </label>
      <button data-quiet>Add days…</button>
    </form>
  </>
);

/** The time zone of the first entry, else UTC. */
const Zone: FC<{ readonly of: readonly object[] }> = ({ of: [first = {}] }) => {
  const { time_zone: zone = 'UTC' } = Object(first);
  return (
    <label>
      time zone <input name="time_zone" required value={String(zone)} />
    </label>
  );
};

const Entry: FC<{ readonly action: string; readonly entry: object; readonly words: string }> = ({
  action,
  entry,
  words,
}) => (
  <form action={action}>
    <input type="hidden" name="entry" value={JSON.stringify(entry)} />
    <span>{words}</span>{' '}
    <button data-quiet aria-label={`Remove: ${words}`}>
      Remove…
    </button>
  </form>
);

const AGES = ['0s', '1h', '1d', '3d', '7d', '14d', '30d'];

const Age: FC<Shown> = ({ path, editable: { age = '0s' } }) => (
  <form class="search" action={`${path}/age`}>
    <label>
      at least{' '}
      <select name="age">
        {[...new Set([...AGES, age])].map((value) => (
          <option selected={value === age}>{value}</option>
        ))}
      </select>
    </label>
    <button data-quiet>Set…</button>
  </form>
);

const HEADINGS: Readonly<Record<EditForm, string>> = {
  add: 'Add a module',
  remove: 'Remove a module',
  window: 'Add a window',
  'no-window': 'Remove a window',
  blackout: 'Add days in which nothing restarts',
  'no-blackout': 'Remove days in which nothing restarts',
  age: 'Set how old a release must be',
};

/** What an edit would change, and the form that saves it. Its children say what else matters. */
export const EditPreviewView: FC<{
  readonly path: string;
  readonly form: EditForm;
  readonly lines: readonly string[];
  /** What the form sends: what the person typed, and what the person saw. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** Further fields of the form. */
  readonly more?: Child;
  readonly children?: Child;
}> = ({ path, form, lines, fields, more, children }) => (
  <>
    <h1>{HEADINGS[form]}</h1>
    <p>Nothing is changed yet. Saving changes this:</p>
    <Difference lines={lines} />
    {children}
    <form method="post" action={`${path}/${form}`}>
      {fields.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {more}
      <button>Save</button>
    </form>
    <p>
      <a href={path}>Do nothing</a>
    </p>
  </>
);
