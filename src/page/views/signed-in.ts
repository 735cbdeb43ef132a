import { createContext, useContext } from 'hono/jsx';
import { mayAs, type Role } from '../../server/accounts/role.ts';

/** What who sees a page may do. Outside of a page of a frame, only look. */
export const SignedInRole: ReturnType<typeof createContext<Role>> = createContext<Role>('viewer');

/** Whether who sees the page may do what needs the role `needs`; only then it is offered (D372). */
export function isOffered(needs: Role): boolean {
  return mayAs(useContext(SignedInRole), needs);
}
