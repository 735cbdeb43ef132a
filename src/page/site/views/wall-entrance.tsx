import type { FC } from 'hono/jsx';

/** The form for the token of a link. It needs no script: `browser/sign-in.ts` fills it in from the address. */
export const WallEntrance: FC<{
  readonly action: string;
  readonly problem: string | undefined;
}> = ({ action, problem }) => (
  <>
    <h1>Open the wall</h1>
    {problem === undefined ? null : (
      <p class="problem" role="alert" id="problem">
        {problem}
      </p>
    )}
    <form method="post" action={action} id="open-wall">
      <p>
        <label for="token">Token</label>{' '}
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          size={40}
          aria-describedby={problem === undefined ? 'help' : 'problem help'}
        />{' '}
        <button>Open</button>
      </p>
    </form>
    <p id="help">
      <code>modreg registry page wall --name lobby</code>, on the machine of the registry, prints a
      link with a token, which is after the #. Those who have signed in need none:{' '}
      <a href="/sign-in?to=%2Fwall">sign in</a>.
    </p>
  </>
);
