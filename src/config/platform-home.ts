import { withoutFinalSlashes } from '../core/text/final-slashes.ts';

/** The root of the server's configuration: `$PLATFORM_HOME`, else `$HOME/.platform`; undefined when neither is set. */
export function platformHome(
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { PLATFORM_HOME: own, HOME: user } = environment;
  const home = own || (user && `${user}/.platform`) || undefined;
  return home && `${home.slice(0, 1)}${withoutFinalSlashes(home.slice(1))}`;
}
