/** What is said on a machine without the state of an agent. `missing` is the message about its file. */
export function noAgent(missing: string): { readonly head: string; readonly note: string } {
  return {
    head: 'no agent has run with this home; modreg agent run <machine.json> starts one',
    note: `note: ${missing}; $PLATFORM_HOME, or else $HOME/.platform, is the home`,
  };
}
