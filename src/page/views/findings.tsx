import type { FC } from 'hono/jsx';
import type { DocumentCheck } from '../../host/config/config-file.ts';

/** `checked, 0 errors`, and what was found. */
export const Findings: FC<{ readonly check: DocumentCheck }> = ({
  check: { errors, warnings, findings },
}) => (
  <>
    <span class="checked">
      checked, {errors} {errors === 1 ? 'error' : 'errors'}
      {warnings === 0 ? '' : `, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`}
    </span>
    {findings.length === 0 ? null : (
      <ul class="findings">
        {findings.map(({ severity, code, line, column, path, message }) => (
          <li>
            <a href={`#line-${line}`}>
              {line}:{column}
            </a>{' '}
            {severity}[{code}] {path === '' ? '' : `${path}: `}
            {message}
          </li>
        ))}
      </ul>
    )}
  </>
);
