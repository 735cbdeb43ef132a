import type { FC } from 'hono/jsx';
import type { DecisionChange, ShownConfig } from '../../host/config/checked-config.ts';
import type { CheckedConfig } from '../machine-changes.ts';
import { Findings } from './findings.tsx';
import { Problems } from './modules-view.tsx';

/** The machine config as text, with the forms that check it and save it. */
export const ConfigView: FC<{
  readonly config: ShownConfig;
  /** The text in the form: that of the file, or the one that was sent. */
  readonly text: string;
  readonly check?: CheckedConfig | undefined;
  /** A text that was not saved, because the file was changed meanwhile. */
  readonly unsaved?: string | undefined;
}> = ({ config: { file, etag }, text, check, unsaved }) => (
  <>
    <h1>{file}</h1>
    <p>
      Secrets are shown as <code>•••</code>. Leave it to keep one, or write a new one in its place.
    </p>
    <p class="actions">
      <a href="/edit">Add or remove modules, windows and ages…</a>
    </p>
    {check ? <Checked check={check} /> : null}
    <form method="post" action="/config">
      <input type="hidden" name="etag" value={etag} />
      <label for="text">The machine config</label>
      <Editor text={text} check={check} />
      <p>
        <button formaction="/config/check">Check</button> <button>Save</button>
      </p>
    </form>
    {unsaved === undefined ? null : (
      <>
        <label for="unsaved">Yours, which was not saved</label>
        <textarea id="unsaved" rows={30} readonly wrap="off">
          {`\n${unsaved}`}
        </textarea>
      </>
    )}
  </>
);

/** So many lines have numbers: more than a person edits here. */
const MOST_NUMBERS = 5000;

/** The text with the numbers of its lines. What a check found is marked at its line. */
const Editor: FC<{ readonly text: string; readonly check: CheckedConfig | undefined }> = ({
  text,
  check,
}) => {
  const lines = text.split('\n').length;
  // Errors are later than warnings, so that they replace them.
  const found = new Map(
    [...(check?.findings ?? [])]
      .toSorted((a, b) => Number(a.severity === 'error') - Number(b.severity === 'error'))
      .map(({ line, severity }) => [line, severity] as const),
  );
  const numbers = Array.from({ length: Math.min(lines, MOST_NUMBERS) });
  return (
    <div class="editor">
      <pre aria-hidden="true">
        {numbers.map((_, place) => (
          <LineNumber line={place + 1} severity={found.get(place + 1)} />
        ))}
      </pre>
      {/* HTML drops one line end after <textarea>, so one is added. */}
      <textarea id="text" name="text" rows={lines + 1} spellcheck={false} wrap="off">
        {`\n${text}`}
      </textarea>
    </div>
  );
};

/** The number of a line, to which the list of findings leads if one is there. */
const LineNumber: FC<{ readonly line: number; readonly severity: string | undefined }> = ({
  line,
  severity,
}) =>
  severity === undefined ? (
    <>{`${line}\n`}</>
  ) : (
    <>
      <mark id={`line-${line}`} data-severity={severity}>
        {line}
      </mark>
      {'\n'}
    </>
  );

const Checked: FC<{ readonly check: CheckedConfig }> = ({ check }) => (
  <section aria-label="Check">
    <Findings check={check} />
    <Problems problems={check.problems} />
    {check.changes === undefined ? null : <Changes changes={check.changes} />}
  </section>
);

/** The decisions that would be others. */
export const Changes: FC<{ readonly changes: readonly DecisionChange[] }> = ({ changes }) =>
  changes.length === 0 ? (
    <p>No decision would change.</p>
  ) : (
    <ul class="changes">
      {changes.map(({ name, before = 'not on this machine', after = 'not on this machine' }) => (
        <li>
          <strong>{name}</strong> now {before}; then {after}
        </li>
      ))}
    </ul>
  );
