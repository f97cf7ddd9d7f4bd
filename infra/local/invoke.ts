/**
 * `npm run invoke -- <function> <event.json>` calls one function once, as deployed. Options: `npm run invoke --
 * --help`.
 */
import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../build.ts'
import { invokeOnce } from './invoke-once.ts'

process.env.TZ = 'UTC' // worker threads cannot set it
// Bundles in a folder of their own: a running service may be reading the bundles of `npm start`.
const outDir = fileURLToPath(new URL('../../dist/invoked-functions', import.meta.url))
const { code, out, err } = await invokeOnce(process.argv.slice(2), process.env, {
  bundles: outDir,
  build: () => buildFunctions({ outDir }),
})
process.stdout.write(out)
process.stderr.write(err)
process.exit(code)
