/** `npm run demo`: the usual workflow with keys of cloud-a, call by call. Options: `npm run demo -- --help`. */
import { fileURLToPath } from 'node:url'
import { runDemo } from './demo/run.ts'

// Bundles of its own: a service that runs may be reading those of `npm start`.
runDemo({ outDir: fileURLToPath(new URL('../../dist/demo-functions', import.meta.url)) })
