import type { Result } from '../../core/index.ts';
import type { FailureCount } from '../../core/rollout/rollout.ts';
import { quote } from '../../core/text/quote.ts';
import type { PageProblem } from '../page-problem.ts';
import { fieldOf } from '../request-input.ts';
import type { RolloutChange } from '../../server/rollout/rollout-change.ts';

type Read<T> = Result<T, PageProblem[]>;

/** The changes of a rollout that a form asks for. */
export const CHANGES: readonly RolloutChange['event'][] = ['halt', 'raise', 'resume', 'retract'];

const LONGEST_REASON = 500;

/** The change that a form asks for. */
export function changeIn(
  event: RolloutChange['event'],
  form: URLSearchParams,
): Read<RolloutChange> {
  const after = numberIn(form, 'after');
  if (!after.ok) return after;
  const seen = { after: after.value };
  switch (event) {
    case 'halt':
    case 'retract': {
      const reason = fieldOf(form, 'reason') ?? '';
      if (reason.length <= LONGEST_REASON) return { ok: true, value: { ...seen, event, reason } };
      return wrong(`reason has ${reason.length} characters, expected at most ${LONGEST_REASON}`);
    }
    case 'raise': {
      const failures = form.has('failures') ? failuresIn(form) : undefined;
      if (failures?.ok === false) return failures;
      const raise = { ...seen, event, acknowledged: failures?.value };
      // The group is the next one: the event that the person saw says after which (D54).
      if (form.has('group')) return { ok: true, value: raise };
      const percent = percentIn(form.get('percent') ?? '');
      return percent.ok ? { ok: true, value: { ...raise, percent: percent.value } } : percent;
    }
    case 'resume': {
      const failures = failuresIn(form);
      if (!failures.ok) return failures;
      return { ok: true, value: { ...seen, event, acknowledged: failures.value } };
    }
  }
}

/** A person acknowledges the failures by typing their number. */
function failuresIn(form: URLSearchParams): Read<FailureCount> {
  const failed = numberIn(form, 'failed');
  if (!failed.ok) return failed;
  const silent = numberIn(form, 'silent');
  if (!silent.ok) return silent;
  const typed = numberIn(form, 'failures');
  const all = failed.value + silent.value;
  if (typed.ok && typed.value === all)
    return { ok: true, value: { failed: failed.value, silent: silent.value } };
  const found = `${quote(form.get('failures') ?? '')} was typed`;
  const message = `${found}, but the number of machines that failed or became silent is ${all}`;
  const hint = 'look at the failures, then type their number';
  return { ok: false, error: [{ code: 'ROLLOUT_CONFLICT', message, hint }] };
}

function numberIn(form: URLSearchParams, name: string): Read<number> {
  const text = form.get(name)?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return { ok: true, value: Number(text) };
  return wrong(`${name} is ${quote(text)}, expected a whole number from 0`);
}

/** A percentage of a step. */
export function percentIn(text: string): Read<number> {
  const percent = /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text) : Number.NaN;
  if (percent > 0 && percent <= 100) return { ok: true, value: percent };
  return wrong(`percent is ${quote(text)}, expected more than 0 and at most 100`);
}

function wrong(message: string): Read<never> {
  return { ok: false, error: [{ code: 'BAD_FIELD', message }] };
}
