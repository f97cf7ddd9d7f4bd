import { FLOWS } from '../infra/flows.ts'
import { FUNCTIONS } from '../infra/functions.ts'
import { createClock } from '../infra/local/clock.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../infra/local/table/fault-proxy.ts'
import { startStepFunctions } from '../infra/local/stand-ins/step-functions.ts'
import { startTable } from '../infra/local/table/table.ts'
import { startInstance, type Instance } from './instance.ts'
import { BUNDLES, passTime, PASSWORD, UNTHROTTLED } from './service.ts'
import type { BenchedCloud, Calls } from './benched-cloud.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'

/**
 * A whole deployment in memory whose flows run the bundle of `triggers` in a separate process, against a cloud in
 * another one.
 */
export interface CloudService<C extends SimulatedCloud = SimulatedCloud> {
  readonly cloud: C
  /** in front of the engine; every call of every function passes through it */
  readonly table: FaultProxy
  /** Starts a new instance of `triggers`, used from now on; the former one exits. */
  readonly freshInstance: () => Promise<Instance>
  /** Writes records of all keys that a place has at the cloud, like the existing one. */
  readonly recordKeys: (place: string) => Promise<void>
  /** Synchronizes one place, from the request to the end of the flow. @throws Error unless it completes */
  readonly synchronize: (place: string) => Promise<Synchronized>
  /** Creates a report on one place's log, from the request to the end of the flow. @throws Error unless it completes */
  readonly report: (place: string, from: Date, to: Date) => Promise<Reported>
  /** Reads one page of ten of a report's contents. @returns milliseconds */
  readonly contents: (report: string, skip: number) => Promise<number>
  readonly stop: () => Promise<void>
}

export interface Synchronized {
  readonly ms: number
  readonly added: number
  readonly updated: number
  readonly gone: number
}

export interface Reported {
  readonly id: string
  readonly ms: number
  readonly rows: number
}

/** Connects the store of this process to the engine directly, not through the proxy. */
export async function startCloudService<C extends SimulatedCloud>(benched: BenchedCloud<C>): Promise<CloudService<C>> {
  const base = await startBase(benched)
  const { cloud, table, freshInstance, stop } = base
  const containers = await benched.connect(cloud, base)
  await freshInstance()
  const address = `/v1/keymgr/${benched.name}`
  const synchronized = (place: string): Promise<Synchronized> =>
    synchronize(base, `${address}/${benched.jobs ?? 'synchronization-jobs'}`, benched.synchronizationOf(place))
  return {
    cloud,
    table,
    freshInstance,
    recordKeys: async (place) => {
      if (benched.recordKeys === undefined) await synchronized(place)
      else await benched.recordKeys(cloud, place, containers[place] ?? '')
    },
    synchronize: synchronized,
    report: reporter(base, `${address}/reports`, (place) => benched.reportOf?.(cloud, place)),
    contents: async (report, skip) => {
      const token = await base.logIn()
      const from = performance.now()
      await base.send('GET', `${address}/reports/${report}/contents?skip=${skip}`, undefined, token)
      return performance.now() - from
    },
    stop,
  }
}

/** The deployment, its flows and its table, and the calls of its administrator. */
type Base = Awaited<ReturnType<typeof startBase<SimulatedCloud>>>

async function startBase<C extends SimulatedCloud>({ name, start }: BenchedCloud<C>) {
  const cloud = await start()
  const engine = await startTable()
  const table = await startFaultProxy(engine.endpoint)
  const row = FUNCTIONS.find(({ name }) => name === 'triggers')
  if (row === undefined) throw new Error('There is no function triggers')
  let instance: Instance | undefined
  const invoke = (): Instance['invoke'] => {
    if (instance === undefined) throw new Error('There is no instance yet')
    return instance.invoke
  }
  const clock = createClock()
  const { now } = clock
  const flows = await startStepFunctions({ flows: FLOWS, now, invoke: (_function, event) => invoke()(event) })
  const deployment = await startDeployment({
    bundles: BUNDLES,
    clock,
    inMemory: true,
    adminPassword: PASSWORD,
    tableEndpoint: table.endpoint,
    cloudEndpoints: { [name]: cloud.endpoint },
    environment: { ...UNTHROTTLED, AWS_ENDPOINT_URL_SFN: flows.endpoint },
  })
  const environment = deployment.environmentOf(row.name)
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint })
  return {
    clock,
    cloud,
    table,
    flows,
    ...callsOf(deployment),
    freshInstance: async (): Promise<Instance> => {
      await instance?.stop()
      return (instance = startInstance(row, environment))
    },
    stop: async () => {
      await deployment.stop()
      await flows.stop()
      await instance?.stop()
      await table.stop()
      await engine.stop()
      await cloud.stop()
    },
  }
}

function callsOf({ baseUrl, administrator }: Deployment): Calls {
  const send = async (method: string, target: string, body: unknown, token?: string): Promise<any> => {
    const response = await fetch(`${baseUrl}/api${target}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${method} ${target} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer
  }
  const logIn = async (): Promise<string> =>
    (await send('POST', '/v1/auth/tokens', { name: administrator, password: PASSWORD })).jwt as string
  return { send, logIn }
}

async function synchronize(base: Base, jobs: string, body: object): Promise<Synchronized> {
  const { send, logIn, flows } = base
  passTime(base)
  const before = await logIn()
  const from = performance.now()
  const { id } = await send('POST', jobs, body, before)
  await flows.idle()
  const ms = performance.now() - from
  const job = await send('GET', `${jobs}/${id}`, undefined, await logIn()) // a token is valid for five minutes
  if (job.overall_status !== 'completed') throw new Error(`The job ended so: ${JSON.stringify(job)}`)
  return { ms, added: job.added, updated: job.updated, gone: job.gone }
}

/** Each report gets a new name. */
function reporter(
  { send, logIn, flows }: Base,
  reports: string,
  paramsOf: (place: string) => object | undefined,
): CloudService['report'] {
  let made = 0
  return async (place, start, end) => {
    const token = await logIn()
    const name = `${place} ${++made}`
    const span = { start_time: start.toISOString(), end_time: end.toISOString() }
    const from = performance.now()
    const { id } = await send('POST', reports, { name, ...span, ...paramsOf(place) }, token)
    await flows.idle()
    const ms = performance.now() - from
    const report = await send('GET', `${reports}/${id}`, undefined, await logIn())
    if (report.overall_status !== 'completed') throw new Error(`The report ended so: ${JSON.stringify(report)}`)
    const { total } = await send('GET', `${reports}/${id}/contents?limit=1`, undefined, await logIn())
    return { id, ms, rows: total as number }
  }
}
