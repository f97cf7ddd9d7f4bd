/**
 * Whether the test file runs in a separate process, because its name ends with `.own.test.ts`, it is long, or it uses a
 * browser. All other files share processes: a module is loaded once for many files.
 */
export const ownsProcess = (): boolean => process.env.KEYMGR_TEST_PROCESS === 'own'

/** @throws Error if other files run in this process */
export function assertOwnProcess(reason: string): void {
  if (!ownsProcess()) throw new Error(`Name this test file *.own.test.ts: ${reason}`)
}

/**
 * Sets variables, so that the modules of this process call the test's own services. The modules keep their clients for
 * as long as the process runs.
 * @throws Error if other files run in this process
 */
export function pointProcessAt(variables: Readonly<Record<string, string | undefined>>): void {
  assertOwnProcess('it points modules at services of its own')
  Object.assign(process.env, variables)
}
