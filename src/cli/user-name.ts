/** What the system knows of the user of a process. */
export interface SystemUser {
  /** Throws if no user has the number. */
  readonly info: () => { readonly username: string };
  readonly uid: number | undefined;
}

/** The name of a user, else the number, as `uid 1001`: a container may run as a user without a name. */
export function userName({ info, uid }: SystemUser): string {
  try {
    return info().username;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_SYSTEM_ERROR' || uid === undefined) throw error;
    return `uid ${uid}`;
  }
}
