/** What an account may do on the page of a site, the least first: look, command machines, or change all. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** The role with this name; undefined if it is none, as one of a later modreg. */
export function roleNamed(text: string): Role | undefined {
  return ROLES.find((role) => role === text);
}

/** Whether who has the role `has` may do what needs the role `needs`. */
export function mayAs(has: Role, needs: Role): boolean {
  return ROLES.indexOf(has) >= ROLES.indexOf(needs);
}
