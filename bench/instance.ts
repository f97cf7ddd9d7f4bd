import { spawn } from 'node:child_process'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FunctionRow } from '../infra/functions.ts'
import { apart } from './apart.ts'
import { BUNDLES } from './service.ts'

/** One instance of a function, in a process of its own. */
export interface Instance {
  /** One call at a time, as Lambda does. */
  readonly invoke: (event: unknown) => Promise<unknown>
  /** Peak memory in bytes, as counted by Linux. */
  readonly peakMemory: () => Promise<number>
  readonly stop: () => Promise<void>
}

/** In JavaScript, because loading TypeScript costs a process 18 MB, which would count as the function's. */
const HARNESS = `
import { readFileSync, writeFileSync } from 'node:fs'
writeFileSync('/proc/self/clear_refs', '5') // a new process starts as a copy of its parent and inherits its peak
const peakBytes = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024
const loaded = import(process.env.BENCH_ENTRY)
async function answer({ event, timeoutMs }) {
  if (event === undefined) return peakBytes()
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
  // Node's settings on the platform: a tenth of the memory is for new objects, in two halves.
  const newMiB = Math.floor(memoryMiB / 10)
  const limits = [`--max-semi-space-size=${Math.floor(newMiB / 2)}`, `--max-old-space-size=${memoryMiB - newMiB}`]
  const child = spawn(process.execPath, [...limits, '--input-type=module', '--eval', HARNESS], {
    env: { ...environment, BENCH_ENTRY: pathToFileURL(path.join(BUNDLES, name, 'index.mjs')).href },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { ask, stop } = apart(child)
  return {
    invoke: (event) => ask({ event, timeoutMs: timeoutSeconds * 1_000 }),
    peakMemory: async () => (await ask({})) as number,
    stop,
  }
}
