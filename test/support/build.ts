import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../../infra/build.ts'

/** Folder of the bundles under test. They are built once per run, and are those that are deployed. */
export const BUNDLES = fileURLToPath(new URL('../../dist/test-functions', import.meta.url))

/** Called by the test runner before any test. */
export default async function build(): Promise<void> {
  await buildFunctions({ outDir: BUNDLES })
}
