import { once } from 'node:events'
import * as path from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { FUNCTIONS } from '../infra/functions.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { createFunction, type LocalFunction } from '../infra/local/functions/functions.ts'
import { createLog } from '../infra/local/log.ts'
import { compileUpload } from '../shared/rego/index.ts'
import { seedEkmEndpoint, type BenchEndpoint } from './ekm-endpoint.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { HOSTILE, ORDINARY } from './hostile-policies.ts'
import { compare, versus } from './rounds.ts'
import { isQuick, scaled } from './scale.ts'
import { assertStatus, BUNDLES, eventsOf, loginTo, PASSWORD, UNTHROTTLED, type Answer } from './service.ts'

async function tookMs(text: string): Promise<number> {
  const from = performance.now()
  await compileUpload(text).catch(() => undefined)
  return performance.now() - from
}

/**
 * Uploads of 64 KiB built to be slow against an ordinary policy of that size, each the worst of its round: at most 5
 * times. The limit of a compilation ensures this; without it the worst took 3 s.
 */
async function againstOrdinary(): Promise<Figure> {
  const ratios: number[] = []
  const all = { ordinary: [] as number[], worst: [] as number[] }
  const slowest = new Map<string, number>()
  for (let round = 0; round < (isQuick ? 7 : 21); round++) {
    const ordinary = await tookMs(ORDINARY)
    let worst = 0
    for (const [name, text] of Object.entries(HOSTILE)) {
      const ms = await tookMs(text)
      if (ms > worst) worst = ms
      slowest.set(name, Math.max(ms, slowest.get(name) ?? 0))
    }
    if (round < 2) continue // warm-up
    ratios.push(worst / ordinary)
    all.ordinary.push(ordinary)
    all.worst.push(worst)
  }
  const [name = ''] = [...slowest].sort(([, a], [, b]) => b - a)[0] ?? []
  const note = `${medianOf(all.worst).toFixed(0)} ms (${name}) / ${medianOf(all.ordinary).toFixed(0)} ms`
  return { name: 'rego upload, 64 KiB: hostile / ordinary', measured: spreadOf(ratios), promise: { atMost: 5 }, note }
}

/** `ekm` and `ekm-data` of one deployment, each in a thread of its own. */
interface Bench {
  readonly endpoint: BenchEndpoint
  readonly environment: (name: string) => Readonly<Record<string, string>>
  readonly start: (name: string) => LocalFunction
  /** The event of an upload: a text that was not compiled before is tested at the endpoint, but not stored. */
  readonly event: (text: string) => Promise<unknown>
}

let uploads = 0

function uploadsTo({ id }: BenchEndpoint, deployment: Deployment): Bench['event'] {
  const event = eventsOf(deployment)
  const as = loginTo(deployment)
  return (text) => {
    const body = { raw_policy_enabled: true, policy: { rego: `${text}\n# ${uploads++}` }, input: {} }
    return event('POST', `/api/v1/keymgr/ekm/endpoints/${id}/policy/test`, { body, as })
  }
}

async function upload(ekm: LocalFunction, event: unknown): Promise<void> {
  const { statusCode } = (await ekm.invoke(event)) as Answer
  if (statusCode !== 200 && statusCode !== 422) throw new Error(`Answered ${statusCode}`)
}

/**
 * Answers one event, then another, in a thread that runs nothing else. Reports the processor time of the second in
 * milliseconds.
 */
const TIMED = `
const { parentPort, workerData: { entry, first, second } } = require('node:worker_threads')
import(entry).then(async ({ handler }) => {
  await handler(first, {})
  const from = process.threadCpuUsage()
  await handler(second, {})
  const { user, system } = process.threadCpuUsage(from)
  parentPort.postMessage((user + system) / 1_000)
})
`

/**
 * The first upload in a new instance, whose code the engine has not compiled yet: at most 150 ms of the thread for each
 * hostile text, including the parsed body and the refusal. Processor time, which does not grow on a busy machine.
 */
async function cold({ event, environment }: Bench): Promise<Figure> {
  const entry = pathToFileURL(path.join(BUNDLES, 'ekm/index.mjs')).href
  const worst: { name: string; ms: number }[] = []
  for (let round = 0; round < scaled(7, 1); round++) {
    const took: { name: string; ms: number }[] = []
    for (const [name, text] of Object.entries(HOSTILE)) {
      const workerData = { entry, first: await event('package a\nallow := true'), second: await event(text) }
      const worker = new Worker(TIMED, { eval: true, env: environment('ekm'), workerData, stdout: true })
      const [ms] = (await once(worker, 'message')) as [number]
      took.push({ name, ms })
      await worker.terminate()
    }
    worst.push(took.reduce((a, b) => (a.ms > b.ms ? a : b)))
  }
  return {
    name: 'rego upload, 64 KiB: hostile, cold, ms of the thread',
    measured: spreadOf(worst.map(({ ms }) => ms)),
    promise: { atMost: 150 },
    note: `slowest: ${[...new Set(worst.map(({ name }) => name))].join(', ')}`,
  }
}

/**
 * Wraps of one tenant while another uploads hostile texts without pause, against the same wraps alone: at most twice.
 */
async function besideWraps({ endpoint, start, event: uploadOf }: Bench): Promise<Figure> {
  const [ekm, data] = [start('ekm'), start('ekm-data')]
  const event = endpoint.event('wrap', { plaintext: Buffer.alloc(32).toString('base64'), ...REASON })
  const wraps = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at++) assertStatus((await data.invoke(event)) as Answer, 200)
  }
  let uploading: Promise<void> | undefined
  const texts = Object.values(HOSTILE)
  const flood = async (times: number): Promise<void> => {
    const flooding: { on: boolean } = { on: true }
    uploading = (async () => {
      for (let at = 0; flooding.on; at++) await upload(ekm, await uploadOf(texts[at % texts.length] ?? ''))
    })()
    await wraps(times)
    flooding.on = false
  }
  const settled = (): Promise<void> => uploading ?? Promise.resolve()
  const alone = async (times: number): Promise<void> => {
    await settled()
    await wraps(times)
  }
  const outcome = await compare({ ours: { run: flood }, bare: { run: alone }, rounds: 11, turns: 1, calls: 300 })
  await settled()
  await Promise.all([ekm.stop(0), data.stop(0)])
  return {
    name: 'ekm wrap: beside hostile uploads / alone',
    measured: outcome.ratio,
    promise: { atMost: 2 },
    note: versus(outcome),
  }
}

const REASON = {
  additionalContext: {
    relativeResourceName: 'projects/p/locations/l/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1',
    accessReasonContext: { reason: 'CUSTOMER_INITIATED_ACCESS' },
  },
}

export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_EKM_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  const endpoint = await seedEkmEndpoint(deployment)
  const log = createLog({})
  const ofFunction = (name: string) => ({ ...deployment.environmentOf(name), ...environment, ...endpoint.environment })
  const start = (name: string): LocalFunction => {
    const row = FUNCTIONS.find((each) => each.name === name)
    if (row === undefined) throw new Error(`There is no function ${name}`)
    return createFunction(row, { bundles: BUNDLES, environment: ofFunction(name), log })
  }
  try {
    const bench = { endpoint, environment: ofFunction, start, event: uploadsTo(endpoint, deployment) }
    return [await againstOrdinary(), await cold(bench), await besideWraps(bench)]
  } finally {
    await endpoint.stop()
    await deployment.stop()
    await log.close()
  }
}
