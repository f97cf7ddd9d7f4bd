/**
 * Points the modules of this process at services of the test's own. They keep their clients for as long as the process
 * runs, so a test file that calls this runs in a process of its own.
 * @throws Error if other files run in this process: the file is to be listed in `vitest.config.ts`
 */
export function pointProcessAt(variables: Readonly<Record<string, string | undefined>>): void {
  if (process.env.KEYMGR_TEST_PROCESS !== 'own')
    throw new Error('List this test file under OWN_PROCESS in vitest.config.ts')
  Object.assign(process.env, variables)
}
