import { excerpt, quote } from '../../core/text/quote.ts';
import { formatTime } from '../../core/text/rfc3339.ts';
import { describeTime, type TimeContext } from '../../core/text/time-words.ts';
import { describeChange } from '../../core/plan/open-action-words.ts';
import { timeOrNull } from '../plan/plan-document.ts';
import { commandFor, type EndedHold, type HoldInForce, type SetHold } from './holds.ts';

/** What a hold does, for a person: `modreg hold` and the page show the same. */
export function setHoldLines({ hold, replaced, has, times }: SetHold): string[] {
  return [
    `${hold.label} is held until ${holdEndText(hold, times)}: ${quote(hold.because)}`,
    ...(replaced ? [`  in place of the hold ${byWhom(replaced, times)}`] : []),
    ...has.map(
      ({ action }) =>
        `  the agent has the ${describeChange(action)} of ${excerpt(action.target.name)}: it is finished if its module was stopped already, else it waits`,
    ),
  ];
}

export function endedHoldLines({ hold, still, times }: EndedHold): string[] {
  return [
    `${hold.label} is no longer held`,
    ...(still
      ? [
          `  the whole machine is still held ${byWhom(still, times)}; ${commandFor(still)} ends that`,
        ]
      : []),
  ];
}

/** `by ann until 2026-11-22T06:00:00Z (in 3 h): "demo"`. */
function byWhom(hold: HoldInForce, times: TimeContext): string {
  return `by ${excerpt(hold.by)} until ${holdEndText(hold, times)}: ${quote(hold.because)}`;
}

/** When a hold ends, for a person. */
export function holdEndText({ until, endsAt }: HoldInForce, times: TimeContext): string {
  if (until !== undefined) return describeTime(until, times);
  return `${describeTime(endsAt ?? Infinity, times)}, once that time is certain`;
}

/** A hold as JSON. */
export function holdAsJson({ of, by, because, since, until, endsAt }: HoldInForce): object {
  return {
    kind: of.kind,
    name: of.kind === 'machine' ? null : of.name,
    by,
    reason: because,
    since: formatTime(since),
    until: timeOrNull(until),
    ends_at: timeOrNull(endsAt),
  };
}

/** The holds as JSON, schema `modreg/holds@1`. */
export function holdsDocument(holds: readonly HoldInForce[]): object {
  return { schema: 'modreg/holds@1', holds: holds.map(holdAsJson) };
}

/** A new hold as JSON, schema `modreg/hold@1`. */
export function holdDocument({ hold, replaced, has }: SetHold): object {
  return {
    schema: 'modreg/hold@1',
    ...holdAsJson(hold),
    replaced: replaced ? holdAsJson(replaced) : null,
    delivered: has.map(({ action }) => action.id),
  };
}

/** A hold that was ended as JSON, schema `modreg/unhold@1`. */
export function unholdDocument({ hold, still }: EndedHold): object {
  return {
    schema: 'modreg/unhold@1',
    ...holdAsJson(hold),
    still_held_by: still ? holdAsJson(still) : null,
  };
}
