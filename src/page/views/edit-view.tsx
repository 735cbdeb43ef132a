import type { Child, FC } from 'hono/jsx';
import type { Editable } from '../../config/document-edit.ts';
import type { PageProblem } from '../page-problem.ts';
import { excerpt } from '../../core/text/quote.ts';
import { DAYS, type EditForm } from '../edit-form.ts';
import { blackoutWords, windowWords } from '../window-words.ts';
import { Problems } from './modules-view.tsx';
import { Difference } from './difference.tsx';

/** What a person typed into a form, and why it is no edit (D453). */
export interface Mistyped {
  readonly form: EditForm;
  readonly fields: URLSearchParams;
  readonly problems: readonly PageProblem[];
}

interface Shown {
  /** The address of the page, to which those of the edits are added. */
  readonly path: string;
  readonly editable: Editable;
  /** Undefined if nothing is wrong. */
  readonly mistyped?: Mistyped | undefined;
}

/** What stands in a field of a form: what was typed into it, else `byDefault`. */
function typedIn(form: EditForm, mistyped: Mistyped | undefined) {
  const fields = mistyped?.form === form ? mistyped.fields : undefined;
  return (name: string, byDefault?: string) => fields?.get(name) ?? byDefault;
}

/** What is wrong with what was typed into one of these forms, before them. */
const Wrong: FC<Pick<Shown, 'mistyped'> & { readonly forms: readonly EditForm[] }> = ({
  mistyped,
  forms,
}) =>
  mistyped && forms.includes(mistyped.form) ? <Problems problems={mistyped.problems} /> : null;

/** Small forms for the documents of a machine. Each leads to what it would change (D416). */
export const EditView: FC<
  Shown & {
    /** The modules that are offered; none if they are not known. */
    readonly moduleIds: readonly string[];
    readonly children?: Child;
  }
> = ({ path, editable, moduleIds, mistyped, children }) => (
  <>
    <h1>Edit modules and policy</h1>
    <p>Each form shows first what it changes.</p>
    {children}
    <h2>Modules</h2>
    <Wrong mistyped={mistyped} forms={['add', 'remove']} />
    <AddModule path={path} moduleIds={moduleIds} mistyped={mistyped} />
    <RemoveModule path={path} editable={editable} />
    <h2>When modules may restart</h2>
    <Wrong mistyped={mistyped} forms={['window', 'no-window']} />
    <Windows path={path} editable={editable} mistyped={mistyped} />
    <h2>When nothing restarts</h2>
    <Wrong mistyped={mistyped} forms={['blackout', 'no-blackout']} />
    <Blackouts path={path} editable={editable} mistyped={mistyped} />
    <h2>How old a release must be</h2>
    <Wrong mistyped={mistyped} forms={['age']} />
    <Age path={path} editable={editable} mistyped={mistyped} />
  </>
);

const AddModule: FC<
  Pick<Shown, 'path' | 'mistyped'> & { readonly moduleIds: readonly string[] }
> = ({ path, moduleIds, mistyped }) => {
  const typed = typedIn('add', mistyped);
  return (
    <form class="search" action={`${path}/add`}>
      <label>
        module{' '}
        <input
          name="module_id"
          required
          list="module-ids"
          placeholder="acme:lidar"
          value={typed('module_id')}
        />
      </label>
      <Choices id="module-ids" of={moduleIds} />
      <label>
        version{' '}
        <input
          name="version"
          required
          list="versions"
          placeholder="1.* or 1.2.3"
          value={typed('version')}
        />
      </label>
      <Choices id="versions" of={['latest', 'latest-with-prerelease', '1.*']} />
      <label>
        name <input name="name" placeholder="acme_lidar" value={typed('name')} />
      </label>
      <button data-quiet>Add…</button>
    </form>
  );
};

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

const Windows: FC<Shown> = ({ path, editable: { maintenance }, mistyped }) => {
  const typed = typedIn('window', mistyped);
  return (
    <>
      {maintenance.length === 0 ? <p>None is set here.</p> : null}
      {maintenance.map((entry) => (
        <Entry action={`${path}/no-window`} entry={entry} words={windowWords(entry)} />
      ))}
      <form class="search" action={`${path}/window`}>
        <label>
          from <input type="time" name="at" required value={typed('at', '02:00')} />
        </label>
        <label>
          for{' '}
          <select name="duration">
            {['30m', '1h', '2h', '4h', '8h'].map((value) => (
              <option selected={value === typed('duration', '2h')}>{value}</option>
            ))}
          </select>
        </label>
        <label>
          on{' '}
          <select name="days">
            {Array.from(DAYS, ([value, words]) => (
              <option value={value} selected={value === typed('days')}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <Zone of={maintenance} typed={typed('time_zone')} />
        <button data-quiet>Add a window…</button>
      </form>
    </>
  );
};

const Blackouts: FC<Shown> = ({ path, editable: { blackout, maintenance }, mistyped }) => {
  const typed = typedIn('blackout', mistyped);
  return (
    <>
      {blackout.length === 0 ? <p>None is set here.</p> : null}
      {blackout.map((entry) => (
        <Entry action={`${path}/no-blackout`} entry={entry} words={blackoutWords(entry)} />
      ))}
      <form class="search" action={`${path}/blackout`}>
        <label>
          from <input type="date" name="from" required value={typed('from')} />
        </label>
        <label>
          to <input type="date" name="to" value={typed('to')} />
        </label>
        <Zone of={[...blackout, ...maintenance]} typed={typed('time_zone')} />
        <label>
          why <input name="why" maxlength={80} value={typed('why')} />
        </label>
        <button data-quiet>Add days…</button>
      </form>
    </>
  );
};

/** The time zone that was typed, else that of the first entry, else UTC. */
const Zone: FC<{ readonly of: readonly object[]; readonly typed: string | undefined }> = ({
  of: [first = {}],
  typed,
}) => {
  const { time_zone: zone = 'UTC' } = Object(first);
  return (
    <label>
      time zone <input name="time_zone" required value={typed ?? String(zone)} />
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

const Age: FC<Shown> = ({ path, editable: { age: set = '0s' }, mistyped }) => {
  const age = typedIn('age', mistyped)('age', set) ?? set;
  return (
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
};

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
