/** Tests of other folders that ask about plans and their words, and are quick. */
const ABOUT_PLANS = [
  'test/poller/{ask-deployed,callback-answers,delivery-times,lists,module-setup,planner}.test.ts',
  'test/cli/{plan-problems,plan-rows,plan-summary,watch-report}.test.ts',
];

/** The tests that must detect the mutants of src/core, in the order in which they run. */
export const TEST_FILES: readonly string[] = [
  'test/core/**/*.test.ts',
  // The others take half of the time, and test code of src/config.
  'test/config/!(bounds|new-module|plain-json|window).test.ts',
  ...ABOUT_PLANS,
];
