/** `npm start`: the whole service on this machine. Options: `npm start -- --help`. */
import { fileURLToPath } from 'node:url'
import { buildFunctions } from '../build.ts'
import { run } from './run.ts'
import { showBundling } from './command/start-lines.ts'

const bundles = fileURLToPath(new URL('../../dist/functions', import.meta.url))
run({ bundles, build: () => buildFunctions({ outDir: bundles, onBundling: showBundling }) })
