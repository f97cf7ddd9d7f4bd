/**
 * Whether the test file runs in a process of its own, since its name ends with `.own.test.ts`, or it is long or drives a browser.
 * All others share processes: a module is loaded once for many files.
 */
export const ownsProcess = (): boolean => process.env.KEYMGR_TEST_PROCESS === 'own'

/** @throws Error if other files run in this process */
export function assertOwnProcess(reason: string): void {
  if (!ownsProcess()) throw new Error(`Name this test file *.own.test.ts: ${reason}`)
}

/**
 * Points the modules of this process at services of the test's own. They keep their clients for as long as the process
 * runs.
 * @throws Error if other files run in this process
 */
export function pointProcessAt(variables: Readonly<Record<string, string | undefined>>): void {
  assertOwnProcess('it points modules at services of its own')
  Object.assign(process.env, variables)
}
