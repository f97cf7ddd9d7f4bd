import { spawn } from 'node:child_process'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FunctionRow } from '../infra/functions.ts'
import { apart } from './apart.ts'
import { BUNDLES } from './service.ts'

/** One instance of a function, in a process of its own and nothing else in that. */
export interface Instance {
  /** One call at a time, as Lambda does. */
  readonly invoke: (event: unknown) => Promise<unknown>
  readonly memory: () => Promise<Memory>
  readonly stop: () => Promise<void>
}

export interface Memory {
  /** the most that was seen, looking 20 times a second */
  readonly peakRssBytes: number
  /** the most that the system says there was */
  readonly maxRssBytes: number
}

/** Written in JavaScript: a process that reads TypeScript holds 18 MB for that, which are not the function's. */
const HARNESS = `
const { rss } = process.memoryUsage
const loaded = import(process.env.BENCH_ENTRY)
let peakRssBytes = 0
const look = () => { peakRssBytes = Math.max(peakRssBytes, rss()) }
setInterval(look, 50)
async function answer({ event, timeoutMs }) {
  if (event === undefined) return { peakRssBytes, maxRssBytes: process.resourceUsage().maxRSS * 1024 }
  const { handler } = await loaded
  const deadline = performance.now() + timeoutMs
  return handler(event, { getRemainingTimeInMillis: () => deadline - performance.now() })
}
process.on('message', ({ id, question }) => {
  answer(question).then(
    (given) => process.send({ id, answer: given }),
    (error) => process.send({ id, failure: error.stack }),
  )
})
process.once('disconnect', () => process.exit())
`

export function startInstance(
  { name, memoryMiB, timeoutSeconds }: FunctionRow,
  environment: Readonly<Record<string, string>>,
): Instance {
  const limits = [`--max-old-space-size=${memoryMiB}`] // as infra/local/functions.ts has it
  const child = spawn(process.execPath, [...limits, '--input-type=module', '--eval', HARNESS], {
    env: { ...environment, BENCH_ENTRY: pathToFileURL(path.join(BUNDLES, name, 'index.mjs')).href },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { ask, stop } = apart(child)
  return {
    invoke: (event) => ask({ event, timeoutMs: timeoutSeconds * 1_000 }),
    memory: async () => (await ask({})) as Memory,
    stop,
  }
}
