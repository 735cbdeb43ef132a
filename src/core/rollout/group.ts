const GROUP = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The name of a group of machines, as a pattern for schemas. */
export const GROUP_PATTERN: string = GROUP.source;

/** The name of a group, for a message. */
export const GROUP_FORM =
  'a group, which is up to 63 letters, digits, ".", "_" and "-", beginning with a letter or a digit';

/** The most groups that a rollout names. */
export const MOST_GROUPS = 16;

/** Whether `value` is the name of a group. Case counts. */
export function isGroup(value: unknown): value is string {
  return typeof value === 'string' && GROUP.test(value);
}

/** What a rollout includes: the machines of its groups, and those whose cohort is below its share. */
export interface Included {
  readonly share: number;
  readonly groups?: readonly string[] | undefined;
}

/** Whether a rollout includes a machine (D107), which is in one group at most (D108). */
export function includes(
  { share, groups }: Included,
  machine: { readonly cohort: number | undefined; readonly group?: string | undefined },
): boolean {
  const { cohort, group } = machine;
  // A machine without an id has no cohort, and is included with all others, or with its group (D49).
  if (share >= 1 || (cohort !== undefined && cohort < share)) return true;
  return group !== undefined && groups?.includes(group) === true;
}
