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
}> = ({ help: { command, where }, problem, to }) => (
  <>
    <h1>Sign in</h1>
    {problem === undefined ? null : (
      <p class="problem" role="alert" id="problem">
        {problem}
      </p>
    )}
    <form method="post" action="/sign-in" id="sign-in">
      {to === '/' ? null : <input type="hidden" name="to" value={to} />}
      <p>
        <label for="code">Code</label>{' '}
        <input
          id="code"
          name="code"
          required
          autofocus
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
