/** `npm run demo`: the usual workflow with keys of cloud-a, call by call. Options: `npm run demo -- --help`. */
import { fileURLToPath } from 'node:url'
import { runDemo } from './demo/run.ts'
import { showBundling } from './command/start-lines.ts'

// Bundles in a folder of their own: a running service may be reading the bundles of `npm start`.
const outDir = fileURLToPath(new URL('../../dist/demo-functions', import.meta.url))
runDemo({ outDir, onBundling: showBundling })
