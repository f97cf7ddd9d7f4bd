import { FLOWS } from '../infra/flows.ts'
import { FUNCTIONS } from '../infra/functions.ts'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../infra/local/fault-proxy.ts'
import { startStepFunctions } from '../infra/local/step-functions.ts'
import { startTable } from '../infra/local/table.ts'
import { startInstance, type Instance } from './instance.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'
import { startSimulatedCloud, type SimulatedCloud } from './simulated-cloud.ts'

const KMS = 'bench'
const CLOUD_A = '/v1/keymgr/cloud-a'
const REPORTS = `${CLOUD_A}/reports`

/**
 * A whole deployment in memory whose flows run the bundle of `triggers` in a process of its own, against a cloud in
 * another one.
 */
export interface CloudService {
  readonly cloud: SimulatedCloud
  /** id of the KMS entry whose regions are synchronized */
  readonly kmsId: string
  /** before the engine; every call of every function passes */
  readonly table: FaultProxy
  /** Of `triggers`, from now on; the one before ends. */
  readonly freshInstance: () => Promise<Instance>
  /** Synchronizes one region, from the request to the end of the flow. @throws Error if it does not come to a good end */
  readonly synchronize: (region: string) => Promise<Synchronized>
  /** Makes a report of one region's log, from the request to the end of the flow. @throws Error if it does not complete */
  readonly report: (region: string, from: Date, to: Date) => Promise<Reported>
  /** One page of ten of a report's contents. @returns milliseconds */
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

/** Leads the store of this process to the engine, past the proxy. */
export async function startCloudService(regions: readonly string[]): Promise<CloudService> {
  const base = await startBase()
  const { cloud, table, freshInstance } = base
  const kmsId = await connectCloud(base, regions)
  await freshInstance()
  return {
    cloud,
    kmsId,
    table,
    freshInstance,
    synchronize: (region) => synchronize(base, region),
    report: reporter(base),
    contents: async (report, skip) => {
      const token = await base.logIn()
      const from = performance.now()
      await base.send('GET', `${REPORTS}/${report}/contents?skip=${skip}`, undefined, token)
      return performance.now() - from
    },
    stop: base.stop,
  }
}

/** The deployment, its cloud, its flows and its table, and the calls of its administrator. */
type Base = Awaited<ReturnType<typeof startBase>>

async function startBase() {
  const cloud = await startSimulatedCloud()
  const engine = await startTable()
  const table = await startFaultProxy(engine.endpoint)
  const row = FUNCTIONS.find(({ name }) => name === 'triggers')
  if (row === undefined) throw new Error('There is no function triggers')
  let instance: Instance | undefined
  const invoke = (): Instance['invoke'] => {
    if (instance === undefined) throw new Error('There is no instance yet')
    return instance.invoke
  }
  const now = () => new Date()
  const flows = await startStepFunctions({ flows: FLOWS, now, invoke: (_function, event) => invoke()(event) })
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    tableEndpoint: table.endpoint,
    cloudEndpoints: { 'cloud-a': cloud.endpoint },
    environment: { ...UNTHROTTLED, AWS_ENDPOINT_URL_SFN: flows.endpoint },
  })
  const environment = deployment.environmentOf(row.name)
  Object.assign(process.env, environment, { AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint })
  return {
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

function callsOf({ baseUrl, administrator }: Deployment) {
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

/** @returns id of the KMS entry */
async function connectCloud({ cloud, send, logIn }: Base, regions: readonly string[]): Promise<string> {
  const { id: account_id, cloud_name, credentials } = cloud.account
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = credentials
  const token = await logIn()
  const connection = { name: KMS, cloud_name, access_key_id, secret_access_key }
  await send('POST', '/v1/connectionmgmt/services/cloud-a/connections', connection, token)
  const { id } = await send('POST', `${CLOUD_A}/kms`, { name: KMS, account_id, connection: KMS, regions }, token)
  return id as string
}

async function synchronize({ send, logIn, flows }: Base, region: string): Promise<Synchronized> {
  const jobs = `${CLOUD_A}/synchronization-jobs`
  const before = await logIn()
  const from = performance.now()
  const { id } = await send('POST', jobs, { kms: [KMS], regions: [region] }, before)
  await flows.idle()
  const ms = performance.now() - from
  const job = await send('GET', `${jobs}/${id}`, undefined, await logIn()) // a token lives five minutes
  if (job.overall_status !== 'completed') throw new Error(`The job ended so: ${JSON.stringify(job)}`)
  return { ms, added: job.added, updated: job.updated, gone: job.gone }
}

/** Reports have names of their own. */
function reporter({ cloud, send, logIn, flows }: Base): CloudService['report'] {
  let made = 0
  return async (region, start, end) => {
    const token = await logIn()
    const name = `${region} ${++made}`
    const span = { start_time: start.toISOString(), end_time: end.toISOString() }
    const cloud_a_params = [{ kms: KMS, region, log_group: `trail-${cloud.account.id}` }]
    const from = performance.now()
    const { id } = await send('POST', REPORTS, { name, ...span, cloud_a_params }, token)
    await flows.idle()
    const ms = performance.now() - from
    const report = await send('GET', `${REPORTS}/${id}`, undefined, await logIn())
    if (report.overall_status !== 'completed') throw new Error(`The report ended so: ${JSON.stringify(report)}`)
    const { total } = await send('GET', `${REPORTS}/${id}/contents?limit=1`, undefined, await logIn())
    return { id, ms, rows: total as number }
  }
}
