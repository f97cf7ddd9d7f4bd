import { randomBytes } from 'node:crypto'
import { registerHooks } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { seedEkmEndpoint } from './ekm-endpoint.ts'
import { spreadOf, type Figure } from './figure.ts'
import { seedWraps } from './kacls.ts'
import { seedKeyStore, STORE_ENVIRONMENT } from './key-store.ts'
import { scaled } from './scale.ts'
import { BUNDLES, NO_CONTEXT, PASSWORD, read, type Handler } from './service.ts'
import type { takeSteps } from './timed-pipeline.ts'

const TIMED = new URL('timed-pipeline.ts', import.meta.url).href
const CALLS = scaled(1_000, 100)
const ROUNDS = scaled(11, 2)
const CALLS_A_TURN = 50
const UNTHROTTLED = { KEYMGR_EKM_CALLS_PER_SECOND: '1000000000', KEYMGR_KACLS_CALLS_PER_SECOND: '1000000000' }

/** Data planes that are loaded after this one have timed steps. */
async function loadTimed(): Promise<typeof takeSteps> {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.endsWith('serving/pipeline.ts') && context.parentURL !== TIMED
        ? { url: TIMED, shortCircuit: true, format: 'module-typescript' }
        : next(specifier, context),
  })
  const timed = (await import(TIMED)) as { takeSteps: typeof takeSteps }
  return timed.takeSteps
}

interface Timed {
  readonly name: string
  readonly function: string
  readonly event: APIGatewayProxyEventV2
  readonly environment?: Readonly<Record<string, string>>
}

/** Microseconds of each step of warm calls; `rest` is the record's line, the answer's JSON and what joins the steps. */
async function figuresOf(deployment: Deployment, of: Timed, take: typeof takeSteps): Promise<Figure[]> {
  Object.assign(process.env, deployment.environmentOf(of.function), of.environment)
  const { handler } = (await import(`../functions/${of.function}/handler.ts`)) as { handler: Handler }
  const rounds = new Map<string, number[]>()
  for (let round = -3; round < ROUNDS; round++) {
    take()
    for (let at = 0; at < CALLS; at++) {
      read(await handler(of.event, NO_CONTEXT), 200)
      if (at % CALLS_A_TURN === 0) await setImmediate()
    }
    if (round < 0) continue
    const steps = new Map(take())
    const whole = steps.get('whole call') ?? 0
    const known = [...steps.values()].reduce((sum, us) => sum + us, 0) - whole
    steps.set('rest', whole - known)
    for (const [step, us] of steps) rounds.set(step, [...(rounds.get(step) ?? []), us / CALLS])
  }
  return [...rounds].map(([step, us]) => ({
    name: `${of.name}, ${step}: µs`,
    measured: spreadOf(us),
    note: 'one warm call of the sources, with timers',
  }))
}

/** The time of each step of a warm call of data planes: where the next microsecond is. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...STORE_ENVIRONMENT, ...UNTHROTTLED }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  const endpoint = await seedEkmEndpoint(deployment)
  try {
    const store = await seedKeyStore(deployment, 1)
    const plaintext = randomBytes(76).toString('base64')
    const additionalAuthenticatedData = randomBytes(60).toString('base64')
    const fields = { plaintext, additionalAuthenticatedData, encryptionAlgorithm: 'AES_GCM' }
    const digest = { ciphertextDataIntegrityValueAlgorithm: 'SHA_256' }
    const context = { accessReasonContext: { reason: 'CUSTOMER_INITIATED_ACCESS' } }
    const wrap = await seedWraps(deployment)
    const take = await loadTimed()
    const calls: Timed[] = [
      {
        name: 'xks encrypt',
        function: 'xks',
        event: store.event('encrypt', store.keyIds[0] ?? '', { ...fields, ...digest }),
      },
      {
        name: 'ekm wrap',
        function: 'ekm-data',
        event: endpoint.event('wrap', { plaintext, additionalAuthenticatedData, additionalContext: context }),
        environment: endpoint.environment,
      },
      { name: 'kacls wrap', function: 'kacls', event: await wrap() },
    ]
    const figures: Figure[] = []
    for (const call of calls) figures.push(...(await figuresOf(deployment, call, take)))
    return figures
  } finally {
    await endpoint.stop()
    await deployment.stop()
  }
}
