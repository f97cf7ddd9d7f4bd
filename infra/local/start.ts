/** `npm start`: the whole service on this machine. Options: `npm start -- --help`. */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

const inDist = (folder: string): string => fileURLToPath(new URL(`../../dist/${folder}`, import.meta.url))

// Modules that are imported from here on are compiled once, and not at every start.
enableCompileCache(inDist('compiled'))
const { buildFunctions } = await import('../build.ts')
const { run } = await import('./run.ts')
const { showBundling } = await import('./command/start-lines.ts')

const bundles = inDist('functions')
run({ bundles, build: () => buildFunctions({ outDir: bundles, onBundling: showBundling }) })
