import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { buildFunctions } from '../infra/build.ts'
import { FUNCTIONS } from '../infra/functions.ts'
import { seedExternalKey } from './cloud-d/external-vault.ts'
import { seedKeystore } from './datacust-keystore.ts'
import { seedFetch } from './crm/fetch.ts'
import { seedDecrypt } from './dke.ts'
import { seedEkmEndpoint, type BenchEndpoint } from './ekm-endpoint.ts'
import { medianOf, spreadOf, type Figure } from './figure.ts'
import { seedWraps } from './kacls.ts'
import { seedKeyStore } from './key-store.ts'
import { milliseconds } from './rounds.ts'
import { assertStatus, BUNDLES, NO_CONTEXT, read, startService, type Answer, type BenchService } from './service.ts'
import { scaled } from './scale.ts'

const ROUNDS = scaled(15, 2)
const EMPTY = path.join(BUNDLES, '../bench-empty/index.mjs')

/**
 * A cold start: process, bundle, first event. Reports on pipe 3 when it has the answer. On a slow machine a cold data
 * plane may exceed its time limit and answer 503; then its callers repeat the request, so the time of the repetition
 * counts.
 */
const HARNESS = `
import { writeSync } from 'node:fs'
const { handler } = await import(process.env.BENCH_ENTRY)
let answer
for (let sent = 0; sent < 5 && (sent === 0 || answer?.statusCode === 503); sent++)
  answer = await handler(JSON.parse(process.env.BENCH_EVENT), { getRemainingTimeInMillis: () => 60000 })
writeSync(3, JSON.stringify(answer ?? null))
process.exit()
`

interface Start {
  readonly name: string
  readonly function: string
  /** called before each start */
  readonly event: () => unknown
  readonly status?: number
  /** in addition to the variables of the deployment */
  readonly environment?: Readonly<Record<string, string>>
  /**
   * multiple of the empty handler. Ours: the interface promises no number; well above the value measured when it was
   * set
   */
  readonly atMost: number
}

/** Ours: the goal for functions of management is 3; twice the median of a quiet machine counts as broken. */
const MANAGEMENT_MOST = 10

/** Each function of management, by a path that it does not serve: it loads all that it loads for a call. */
const unknownPaths = ({ event }: BenchService): Start[] =>
  FUNCTIONS.filter(
    ({ budgetMs, grants, prefixes }) => budgetMs === undefined && grants.length > 0 && prefixes.length > 0,
  ).flatMap(({ name, prefixes: [prefix] }) =>
    prefix === undefined || prefix === '$default'
      ? []
      : [
          {
            name: `${name}: 404`,
            function: name,
            event: () => event('GET', `${prefix}/nowhere/at/all`),
            status: 404,
            atMost: MANAGEMENT_MOST,
          },
        ],
  )

/** From process start to the first answer, for each function, against an empty handler in the same harness. */
export async function measure(): Promise<Figure[]> {
  mkdirSync(path.dirname(EMPTY), { recursive: true })
  writeFileSync(EMPTY, 'export const handler = async () => ({ statusCode: 200 })\n')
  const bundles = await buildFunctions({ outDir: BUNDLES })
  const service = await startService()
  const endpoint = await seedEkmEndpoint(service.deployment)
  try {
    const starts = [...(await startsOf(service, endpoint)), ...unknownPaths(service)]
    const times = new Map<Start, number[]>(starts.map((start) => [start, []]))
    const empty: number[] = []
    for (let round = -1; round < ROUNDS; round++) {
      const bare = await startMs(service, undefined)
      if (round >= 0) empty.push(bare)
      for (const start of starts) {
        const ms = await startMs(service, start)
        if (round >= 0) times.get(start)?.push(ms)
      }
    }
    return starts.map((start) => {
      const took = times.get(start) ?? []
      const gzipBytes = bundles.find(({ name }) => name === start.function)?.gzipBytes ?? 0
      return {
        name: `cold start, ${start.name} / empty handler`,
        measured: spreadOf(took.map((ms, at) => ms / (empty[at] ?? Number.NaN))),
        promise: { atMost: start.atMost },
        note: `${milliseconds(medianOf(took))} against ${milliseconds(medianOf(empty))}, ${Math.round(gzipBytes / 1_024)} KiB gzip`,
      }
    })
  } finally {
    await endpoint.stop()
    await service.stop()
  }
}

async function startsOf(
  { deployment, vault, event, administrator: as }: BenchService,
  endpoint: BenchEndpoint,
): Promise<Start[]> {
  const body = { name: 'bench', algorithm: 'aes', size: 256 }
  const made = await vault(await event('POST', '/api/v1/vault/keys2', { body, as }), NO_CONTEXT)
  const { id } = read(made, 201) as { id: string }
  const store = await seedKeyStore(deployment, 1)
  const fetched = await seedFetch(deployment)
  const external = await seedExternalKey(deployment)
  const plaintext = { plaintext: 'AAAAAAAAAAAAAAAAAAAAAA==', encryptionAlgorithm: 'AES_GCM' }
  const keystore = await seedKeystore(deployment, { algorithm: 'aes', size: 256 })
  const logIn = { name: 'nobody', password: 'not-the-password' }
  return [
    { name: 'front: 404', function: 'front', event: () => event('GET', '/api/nowhere'), status: 404, atMost: 2 },
    {
      name: 'guide: 200',
      function: 'guide',
      event: () => event('GET', '/api/v1/openapi.json'),
      status: 200,
      atMost: 6,
    },
    {
      name: 'auth: log-in refused',
      function: 'auth',
      event: () => event('POST', '/api/v1/auth/tokens', { body: logIn }),
      status: 401,
      atMost: 12,
    },
    {
      name: 'vault: 401',
      function: 'vault',
      event: () => event('GET', '/api/v1/vault/keys2'),
      status: 401,
      atMost: 10,
    },
    {
      name: 'vault: get key',
      function: 'vault',
      event: () => event('GET', `/api/v1/vault/keys2/${id}`, { as }),
      status: 200,
      atMost: 10,
    },
    {
      name: 'xks: encrypt',
      function: 'xks',
      event: () => store.event('encrypt', store.keyIds[0] ?? '', plaintext),
      status: 200,
      atMost: 2,
    },
    {
      name: 'ekm-data: wrap',
      function: 'ekm-data',
      event: () =>
        endpoint.event('wrap', {
          plaintext: 'AAAAAAAAAAAAAAAAAAAAAA==',
          additionalContext: { accessReasonContext: { reason: 'CUSTOMER_INITIATED_ACCESS' } },
        }),
      status: 200,
      environment: endpoint.environment,
      atMost: 2,
    },
    {
      name: 'dke-data: decrypt',
      function: 'dke-data',
      event: await seedDecrypt(deployment),
      status: 200,
      atMost: 1.8,
    },
    {
      name: 'external-vaults: encrypt',
      function: 'external-vaults',
      event: external.encryption,
      status: 200,
      atMost: 1.8,
    },
    {
      name: 'datacust-data: encrypt',
      function: 'datacust-data',
      event: () => keystore.event('symmetric-encrypt', { plaintext: plaintext.plaintext }),
      status: 200,
      atMost: 1.8,
    },
    { name: 'crm-keys: fetch', function: 'crm-keys', event: () => fetched, status: 200, atMost: 1.8 },
    { name: 'kacls: wrap', function: 'kacls', event: await seedWraps(deployment), status: 200, atMost: 1.8 },
    {
      name: 'triggers: nothing due',
      function: 'triggers',
      event: () => ({ trigger: 'drain-outbox', scheduled_time: '2000-01-01T00:00:00Z' }),
      atMost: 10,
    },
  ]
}

/** @param start undefined for the empty handler */
async function startMs({ deployment }: BenchService, start: Start | undefined): Promise<number> {
  const entry = start === undefined ? EMPTY : path.join(BUNDLES, start.function, 'index.mjs')
  const env = {
    ...deployment.environmentOf(start?.function ?? 'vault'),
    ...start?.environment,
    BENCH_ENTRY: pathToFileURL(entry).href,
    BENCH_EVENT: JSON.stringify((await start?.event()) ?? {}),
  }
  const from = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HARNESS], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  })
  const answers = child.stdio[3] as Readable
  const closed = once(child, 'close')
  await Promise.race([once(answers, 'readable'), closed])
  const ms = performance.now() - from
  const said = await text(answers)
  await closed
  if (said === '') throw new Error(`${entry} gave no answer`)
  if (start?.status !== undefined) assertStatus(JSON.parse(said) as Answer, start.status)
  return ms
}
