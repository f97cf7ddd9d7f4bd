import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../../infra/build.ts'

/** Where the bundles under test stand: built once for a run, the same as are deployed. */
export const BUNDLES = fileURLToPath(new URL('../../dist/test-functions', import.meta.url))

/** Called by the test runner before any test. */
export default async function build(): Promise<void> {
  await buildFunctions({ outDir: BUNDLES })
}
