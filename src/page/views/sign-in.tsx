import type { FC } from 'hono/jsx';

/** Which command shows a code, and where it has to run. */
export interface SignInHelp {
  readonly command: string;
  readonly where: string;
}

/** The form for a code. It needs no script: `browser/sign-in.ts` fills it in from the address. */
export const SignIn: FC<{
  readonly help: SignInHelp;
  readonly problem: string | undefined;
  /** The path of the page that is shown afterwards. */
  readonly to: string;
  readonly hasAccounts: boolean;
}> = ({ help: { command, where }, problem, to, hasAccounts }) => (
  <>
    <h1>Sign in</h1>
    {problem === undefined ? null : (
      <p class="problem" role="alert" id="problem">
        {problem}
      </p>
    )}
    {hasAccounts ? <AccountForm problem={problem} to={to} /> : null}
    <form method="post" action="/sign-in" id="sign-in">
      {to === '/' ? null : <input type="hidden" name="to" value={to} />}
      <p>
        <label for="code">Code</label>{' '}
        <input
          id="code"
          name="code"
          required
          autofocus={!hasAccounts}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          size={40}
          aria-describedby={problem === undefined ? 'help' : 'problem help'}
        />{' '}
        <button>Sign in</button>
      </p>
    </form>
    <p id="help">
      <code>{command}</code>, {where}, shows an address with a code. A code can be used once, within
      five minutes.
    </p>
  </>
);

/** The form for the name and the password of an account. */
const AccountForm: FC<{ readonly problem: string | undefined; readonly to: string }> = ({
  problem,
  to,
}) => {
  const describedBy = problem === undefined ? undefined : 'problem';
  return (
    <form method="post" action="/sign-in" aria-label="With an account">
      {to === '/' ? null : <input type="hidden" name="to" value={to} />}
      <p>
        <label for="name">Name</label>{' '}
        <input
          id="name"
          name="name"
          required
          autofocus
          autocomplete="username"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby={describedBy}
        />
      </p>
      <p>
        <label for="password">Password</label>{' '}
        <input
          id="password"
          name="password"
          type="password"
          required
          autocomplete="current-password"
          aria-describedby={describedBy}
        />{' '}
        <button>Sign in</button>
      </p>
    </form>
  );
};
