import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../../infra/build.ts'
import { FUNCTIONS } from '../../infra/functions.ts'

/** Folder of the bundles under test. They are built once per run, and are those that are deployed. */
export const BUNDLES = fileURLToPath(new URL('../../dist/test-functions', import.meta.url))

/**
 * Called by the test runner before any test. `KEYMGR_TEST_BUILD=connections,cloud-a` builds these functions only, and
 * the others are used as an earlier run built them.
 */
export default async function build(): Promise<void> {
  const named = process.env['KEYMGR_TEST_BUILD']?.split(',')
  await buildFunctions({ outDir: BUNDLES, functions: FUNCTIONS.filter(({ name }) => named?.includes(name) ?? true) })
}
