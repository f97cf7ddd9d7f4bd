import { FUNCTIONS } from '../infra/functions.ts'
import { startDeployment } from '../infra/local/deployment.ts'
import { createFunction, type LocalFunction } from '../infra/local/functions.ts'
import { createLog } from '../infra/local/log.ts'
import { compileUpload } from '../shared/rego/decision.ts'
import { seedEkmEndpoint, type BenchEndpoint } from './ekm-endpoint.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { HOSTILE, ORDINARY } from './hostile-policies.ts'
import { compare, versus } from './rounds.ts'
import { isQuick, scaled } from './scale.ts'
import { assertStatus, BUNDLES, eventsAt, PASSWORD, UNTHROTTLED, type Answer } from './service.ts'

async function tookMs(text: string): Promise<number> {
  const from = performance.now()
  await compileUpload(text).catch(() => undefined)
  return performance.now() - from
}

/**
 * Uploads of 64 KiB made to be slow against an ordinary policy of that size, each the worst of its round: at most 5 times.
 * The budget of a compilation holds that; without it the worst took 3 s.
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
    if (round < 2) continue // cold
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
  readonly start: (name: string) => LocalFunction
  readonly upload: (ekm: LocalFunction, text: string) => Promise<void>
}

let uploads = 0

/** Tests a text that was not compiled before at an endpoint, which compiles it as an upload does, and stores nothing. */
function uploader({ id, administratorToken: token }: BenchEndpoint): Bench['upload'] {
  const event = eventsAt(Date.now())
  return async (ekm, text) => {
    const body = { raw_policy_enabled: true, policy: { rego: `${text}\n# ${uploads++}` }, input: {} }
    const target = `/api/v1/keymgr/ekm/endpoints/${id}/policy/test`
    const { statusCode } = (await ekm.invoke(event('POST', target, { body, token }))) as Answer
    if (statusCode !== 200 && statusCode !== 422) throw new Error(`Answered ${statusCode}`)
  }
}

interface Upload {
  readonly name: string
  readonly ms: number
}

/**
 * The first upload that a new instance gets, its code not yet compiled by the engine: at most 150 ms for each hostile
 * text, body parsed and refusal written.
 */
async function cold({ start, upload }: Bench): Promise<Figure> {
  const worst: Upload[] = []
  for (let round = 0; round < scaled(7, 1); round++) {
    const took: Upload[] = []
    for (const [name, text] of Object.entries(HOSTILE)) {
      const ekm = start('ekm')
      await upload(ekm, 'package a\nallow := true') // loads the bundle and signs in
      const from = performance.now()
      await upload(ekm, text)
      took.push({ name, ms: performance.now() - from })
      await ekm.stop(0)
    }
    worst.push(took.reduce((a, b) => (a.ms > b.ms ? a : b)))
  }
  return {
    name: 'rego upload, 64 KiB: hostile, cold, ms',
    measured: spreadOf(worst.map(({ ms }) => ms)),
    promise: { atMost: 150 },
    note: `slowest: ${[...new Set(worst.map(({ name }) => name))].join(', ')}`,
  }
}

/** Wraps of one tenant while another uploads hostile texts without a pause, against the same wraps alone: at most twice. */
async function besideWraps({ endpoint, start, upload }: Bench): Promise<Figure> {
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
      for (let at = 0; flooding.on; at++) await upload(ekm, texts[at % texts.length] ?? '')
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
  const start = (name: string): LocalFunction => {
    const row = FUNCTIONS.find((each) => each.name === name)
    if (row === undefined) throw new Error(`There is no function ${name}`)
    const own = { ...deployment.environmentOf(row.name), ...environment, ...endpoint.environment }
    return createFunction(row, { bundles: BUNDLES, environment: own, log })
  }
  try {
    const bench = { endpoint, start, upload: uploader(endpoint) }
    return [await againstOrdinary(), await cold(bench), await besideWraps(bench)]
  } finally {
    await endpoint.stop()
    await deployment.stop()
    await log.close()
  }
}
