/** `npm start`: the whole service on this machine. Options: `npm start -- --help`. */
import { fileURLToPath } from 'node:url'
import { run } from './run.ts'

run({ outDir: fileURLToPath(new URL('../../dist/functions', import.meta.url)) })
