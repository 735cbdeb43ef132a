const HALF = '[A-Za-z0-9][A-Za-z0-9_-]{0,62}';
/** A module_id. */
export const MODULE_ID_PATTERN: string = `${HALF}:${HALF}`;
/** A number of a version. */
export const NUMBER = '(?:0|[1-9]\\d*)';
const IDENTIFIERS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const PRERELEASE = `(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)`;
/** SemVer 2.0.0, without the upper limit of its numbers. */
export const VERSION_PATTERN: string = `${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PRERELEASE}(?:\\.${PRERELEASE})*)?(?:\\+${IDENTIFIERS})?`;
