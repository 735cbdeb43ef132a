/*
 * Conditions on the states that machines report, in SQL.
 */

/** Whether `condition` holds of the content of a state. */
function inContent(condition: string): string {
  return `CASE WHEN json_valid(content) THEN coalesce(${condition}, FALSE) ELSE FALSE END`;
}

/**
 * A state whose target is not deployed. What is kept, disabled or local waits for no target, and of what is not JSON, or too deep for
 * SQLite, none is known (T266).
 */
export const IS_BEHIND = `decision NOT IN ('up-to-date', 'disabled', 'local', 'keep')
  AND ${inContent("json_extract(content, '$.target') <> deployed")}`;

/** A state whose replacements have been held for longer than a week. */
export const IS_HELD_LONG: string = inContent("json_extract(content, '$.held_over_a_week')");

/** The first reason why a replacement is held, as one word; null if it is not known. */
export const HELD_BY = "iif(json_valid(content), json_extract(content, '$.held_by'), NULL)";
