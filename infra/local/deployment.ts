import { X509Certificate } from 'node:crypto'
import * as path from 'node:path'
import { FLOWS } from '../flows.ts'
import type { FlowRow } from '../flows.ts'
import {
  AUDITED_BY_LOG,
  FUNCTION_ENVIRONMENT,
  FUNCTIONS,
  JOB_SCHEDULES,
  OBJECT_ENVIRONMENT,
  OBJECT_GRANTS,
  SCHEDULE_ENVIRONMENT,
  SCHEDULES,
} from '../functions.ts'
import type { FunctionRow, ScheduleRow } from '../functions.ts'
import { LOCAL_NAMES } from './account.ts'
import { ownIdentity, readIdentity } from './certificate.ts'
import type { TlsIdentity } from './certificate.ts'
import { createClock } from './clock.ts'
import type { Clock } from './clock.ts'
import { startCloudA } from '../simulators/cloud-a/simulator.ts'
import type { CloudASimulator, HostAddress } from '../simulators/cloud-a/simulator.ts'
import { startCloudC } from '../simulators/cloud-c/simulator.ts'
import type { CloudCSimulator } from '../simulators/cloud-c/simulator.ts'
import { FILES, openDataDirectory } from './data-directory.ts'
import { writeEndpoints } from './endpoints-file.ts'
import { startEvents } from './events.ts'
import type { BusEvent } from './events.ts'
import { createFunction, FunctionFault } from './functions.ts'
import type { LocalFunction } from './functions.ts'
import { startGateway } from './gateway.ts'
import { startKms } from './kms.ts'
import type { Kms } from './kms.ts'
import { takeLock } from './lock.ts'
import { createLog } from './log.ts'
import type { LogLine } from './log.ts'
import { createLogSubscription } from './log-subscription.ts'
import { startObjects } from './objects.ts'
import { createRootKey, openRootKey } from './root-key.ts'
import { createRouter } from './routing.ts'
import { runSchedules } from './schedules.ts'
import { startScheduler } from './scheduler/scheduler.ts'
import type { Scheduler } from './scheduler/scheduler.ts'
import { StartRefusal } from './start-refusal.ts'
import { startStepFunctions } from './step-functions.ts'
import type { StepFunctions } from './step-functions.ts'
import { createTable, startTable } from './table.ts'
import type { EngineName } from './table-engines.ts'

export interface DeploymentOptions {
  /** Folder that `buildFunctions` filled: `<name>/index.mjs` for every row. */
  readonly bundles: string
  /** Where everything is kept; without it, or with `inMemory`, nothing outlives the deployment. */
  readonly dataDir?: string
  readonly inMemory?: boolean
  /** 0, the default, takes any free one. */
  readonly port?: number
  /** No HTTPS without it. */
  readonly tlsPort?: number | 'any'
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly engine?: EngineName
  /** A table service that already runs, in place of an engine of our own. */
  readonly tableEndpoint?: string
  /** Where cloud-a is, in place of a simulator of our own. */
  readonly cloudAEndpoint?: string
  /** Likewise of cloud-c. */
  readonly cloudCEndpoint?: string
  /** How long the simulated cloud-a waits for an answer of a key store's proxy; 250 without, as the real one. */
  readonly proxyTimeoutMs?: number
  /** Of the first start: a later one leaves the administrator alone. */
  readonly adminPassword?: string
  readonly log?: (line: LogLine) => void
  /**
   * Fires the schedules at their real intervals, those that functions keep when they are due, and delivers log lines soon
   * after they were written; without it they wait for `fire`, `scheduler.fireDue` and `logsDelivered`.
   */
  readonly schedules?: boolean
  readonly clock?: Clock
  /** How many milliseconds flows pause where they say so many seconds; real seconds without it. */
  readonly flowPauseMs?: (seconds: number) => number
  /** Told in one sentence when the deployment can no longer work. */
  readonly onFailure?: (sentence: string) => void
  /** Variables the functions get besides, such as `KEYMGR_CALLS_PER_SECOND`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Rows of another deployment than the whole one. */
  readonly functions?: readonly FunctionRow[]
}

export interface Deployment {
  /** `http://127.0.0.1:<port>`, without `/api` */
  readonly baseUrl: string
  readonly tlsBaseUrl?: string
  /** What a client of `tlsBaseUrl` must trust, PEM; only when the certificate is of our own making. */
  readonly caCertificate?: string
  readonly dataDir?: string
  readonly clock: Clock
  readonly administrator: string
  /** Only at the very first start, when none was given. */
  readonly generatedPassword?: string
  /** For tests that break the root key. */
  readonly kms: Kms
  readonly rootKeyId: string
  readonly table: { readonly endpoint: string; readonly name: string }
  /** @throws FunctionFault */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>
  /** One scheduled start, now; the trigger's answer. @throws FunctionFault */
  readonly fire: (trigger: ScheduleRow['trigger']) => Promise<unknown>
  readonly events: () => readonly BusEvent[]
  /** The simulated cloud-a. @throws Error if `cloudAEndpoint` names another one: then none was started */
  readonly cloudA: CloudASimulator
  readonly cloudAEndpoint: string
  /** The simulated cloud-c. @throws Error as `cloudA` */
  readonly cloudC: CloudCSimulator
  readonly cloudCEndpoint: string
  readonly flows: Pick<StepFunctions, 'endpoint' | 'arnOf' | 'executions' | 'idle'>
  /** The schedules that functions keep. They start executions of `flows`, whose end `flows.idle` waits for. */
  readonly scheduler: Omit<Scheduler, 'run' | 'stop'>
  readonly logs: () => readonly LogLine[]
  /** Resolves when every line of `logs` that belongs in the audit has been handed over. */
  readonly logsDelivered: () => Promise<void>
  readonly environmentOf: (functionName: string) => Readonly<Record<string, string>>
  /** Ends the function's worker at once, as a crash would; the next call starts another. */
  readonly kill: (functionName: string) => Promise<void>
  /** Finishes what is under way, then ends everything. Safe to repeat. */
  readonly stop: () => Promise<void>
}

/** Answers under way get this long; a function's own limit is just below. */
const DRAIN_MS = 30_000

/** @throws StartRefusal, with one sentence for the user, if it cannot start; nothing is left behind then */
export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const undo: (() => unknown)[] = []
  const undoAll = async () => {
    for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
  }
  try {
    return await start(options, undo, undoAll)
  } catch (error) {
    await undoAll()
    throw error
  }
}

/** @param undo how to end what was started, in the order of starting */
async function start(
  options: DeploymentOptions,
  undo: (() => unknown)[],
  undoAll: () => Promise<void>,
): Promise<Deployment> {
  const rows = options.functions ?? FUNCTIONS
  const clock = options.clock ?? createClock()
  const dataDir =
    options.inMemory === true || options.dataDir === undefined ? undefined : openDataDirectory(options.dataDir)
  const fileIn = (name: keyof typeof FILES) => (dataDir === undefined ? undefined : path.join(dataDir, FILES[name]))
  const lock = dataDir === undefined ? undefined : takeLock(path.join(dataDir, FILES.lock))
  undo.push(() => lock?.release())
  const rootKey = dataDir === undefined ? createRootKey() : openRootKey(dataDir)
  const functions = new Map<string, LocalFunction>()
  const functionNamed = (name: string): LocalFunction => {
    const found = functions.get(name)
    if (found === undefined) throw new Error(`There is no function ${name}.`)
    return found
  }
  const subscription = createLogSubscription({
    of: AUDITED_BY_LOG,
    now: clock.now,
    deliver: async (event) => functionNamed(TRIGGERS).invoke(event),
  })
  const log = createLog({
    ...given('file', fileIn('log')),
    onLine: (line) => {
      subscription.take(line)
      options.log?.(line)
    },
  })
  undo.push(() => log.close())
  // Ports come first: a taken one is the commonest reason not to start, and the functions are told the address.
  const identity = identityOf(options, dataDir)
  const gateway = await startGateway({
    clock,
    port: options.port ?? 0,
    ...(identity && { tls: { ...identity, port: options.tlsPort === 'any' ? 0 : (options.tlsPort ?? 0) } }),
    route: createRouter(rows),
    invoke: async (name, event) => functionNamed(name).invoke(event),
    onFault: (text) => log.write('keymgr', text, { warns: true }),
  })
  undo.push(() => gateway.stop(0))

  const table = await tableOf(options, fileIn('table'))
  undo.push(table.stop)
  if (table.enginePid !== undefined) lock?.noteEngine(table.enginePid)
  await createTable(table.endpoint, LOCAL_NAMES.table)
  const kms = await startKms({ keys: [rootKey], aliases: { [LOCAL_NAMES.rootKeyAlias]: rootKey.id } })
  undo.push(kms.stop)
  const events = await startEvents({ buses: [LOCAL_NAMES.bus], now: clock.now, ...given('file', fileIn('events')) })
  undo.push(events.stop)

  const objects = await startObjects({
    buckets: [LOCAL_NAMES.bucket],
    now: clock.now,
    ...given('directory', fileIn('objects')),
  })
  undo.push(objects.stop)

  const cloudA =
    options.cloudAEndpoint === undefined
      ? await startCloudA({
          clock,
          resolve: (host) => ownAddress(host, identity, gateway.tlsBaseUrl),
          ...given('file', fileIn('cloudA')),
          ...given('proxyTimeoutMs', options.proxyTimeoutMs),
        })
      : undefined
  undo.push(() => cloudA?.stop())
  const cloudAEndpoint = cloudA?.endpoint ?? options.cloudAEndpoint ?? ''
  const cloudC =
    options.cloudCEndpoint === undefined ? await startCloudC({ clock, ...given('file', fileIn('cloudC')) }) : undefined
  undo.push(() => cloudC?.stop())
  const cloudCEndpoint = cloudC?.endpoint ?? options.cloudCEndpoint ?? ''
  const scheduler = await startScheduler({
    groups: [JOB_SCHEDULES.group],
    clock,
    targets: {
      startExecution: (machineArn, input) => flows.start(machineArn, input),
      invoke: async (name, payload) => functionNamed(name).invoke(payload),
    },
    ...given('file', fileIn('schedules')),
  })
  undo.push(scheduler.stop)
  const flows = await startStepFunctions({
    flows: FLOWS,
    invoke: async (name, payload) => functionNamed(name).invoke(payload),
    now: clock.now,
    ...given('file', fileIn('flows')),
    ...given('pauseMs', options.flowPauseMs),
  })

  const environment = {
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    AWS_ENDPOINT_URL_KMS: kms.endpoint,
    AWS_ENDPOINT_URL_EVENTBRIDGE: events.endpoint,
    AWS_ENDPOINT_URL_SFN: flows.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: scheduler.endpoint,
    AWS_ENDPOINT_URL_S3: objects.endpoint,
    CLOUD_A_ENDPOINT: cloudAEndpoint,
    CLOUD_C_ENDPOINT: cloudCEndpoint,
    KEYMGR_XKS_TRUST_ANCHORS: '', // this front door checks no chain: nobody is trusted until somebody is named
    ...given('KEYMGR_XKS_TRUST_ANCHORS', cloudA?.proxyClientAuthority),
    [FUNCTION_ENVIRONMENT.table]: LOCAL_NAMES.table,
    [FUNCTION_ENVIRONMENT.rootKey]: kms.keyArn(rootKey.id),
    [FUNCTION_ENVIRONMENT.bus]: LOCAL_NAMES.bus,
    [FUNCTION_ENVIRONMENT.baseUrl]: gateway.baseUrl,
  }
  const addressesOf = (of: readonly FlowRow[]) =>
    Object.fromEntries(of.map(({ name, variable }) => [variable, flows.arnOf(name)]))
  const schedulesTold = {
    ...addressesOf(FLOWS.filter(({ name }) => name === JOB_SCHEDULES.flow)),
    [SCHEDULE_ENVIRONMENT.group]: JOB_SCHEDULES.group,
    [SCHEDULE_ENVIRONMENT.role]: LOCAL_NAMES.scheduleRole,
    [SCHEDULE_ENVIRONMENT.deadLetters]: LOCAL_NAMES.deadLetters,
  }
  for (const row of rows) {
    const told = {
      ...environment,
      ...(row.grants.includes('starts-flows') && addressesOf(FLOWS)),
      ...(row.grants.includes('keeps-schedules') && schedulesTold),
      ...(row.grants.some((grant) => OBJECT_GRANTS.includes(grant)) && {
        [OBJECT_ENVIRONMENT.bucket]: LOCAL_NAMES.bucket,
      }),
      ...options.environment,
    }
    functions.set(row.name, createFunction(row, { bundles: options.bundles, environment: told, log }))
  }
  let drainMs = 0 // a start that fails has nothing worth finishing
  undo.push(() => Promise.all([...functions.values()].map((each) => each.stop(drainMs))))
  undo.push(flows.stop) // before the functions that its tasks call

  const trigger = (name: string, more: object = {}) =>
    functionNamed(TRIGGERS).invoke({ trigger: name, scheduled_time: clock.now().toISOString(), ...more })
  const { administrator, generated_password } = await bootstrap(trigger, options.adminPassword)
  const fire: Deployment['fire'] = (name) => trigger(name)

  if (options.schedules === true) undo.push(subscription.run()) // ends between the front door and the functions
  gateway.open()
  const endpointsFile = fileIn('endpoints')
  if (endpointsFile !== undefined) {
    const addresses = { gateway, anchor: identity?.anchor, table, kms, rootKeyId: rootKey.id }
    undo.push(writeEndpoints(endpointsFile, { ...addresses, events, flows, scheduler, objects, cloudA, cloudC }))
  }
  undo.push(() => gateway.stop(drainMs)) // before the functions that answer, a second time only on paper
  if (options.schedules === true) undo.push(runSchedules(SCHEDULES, fire), scheduler.run())

  let stopped: Promise<void> | undefined
  void table.ended.then((reason) => {
    if (stopped === undefined) options.onFailure?.(`The table engine ended unexpectedly (${reason}).`)
  })
  return {
    baseUrl: gateway.baseUrl,
    ...given('tlsBaseUrl', gateway.tlsBaseUrl),
    ...given('caCertificate', identity?.anchor),
    ...given('dataDir', dataDir),
    clock,
    administrator,
    ...given('generatedPassword', generated_password),
    kms,
    rootKeyId: rootKey.id,
    table: { endpoint: table.endpoint, name: LOCAL_NAMES.table },
    invoke: async (name, event) => functionNamed(name).invoke(event),
    fire,
    events: events.all,
    get cloudA() {
      return simulated(cloudA, 'Cloud-a', cloudAEndpoint)
    },
    cloudAEndpoint,
    get cloudC() {
      return simulated(cloudC, 'Cloud-c', cloudCEndpoint)
    },
    cloudCEndpoint,
    flows,
    scheduler,
    logs: log.lines,
    logsDelivered: subscription.delivered,
    environmentOf: (name) => functionNamed(name).environment,
    kill: async (name) => functionNamed(name).kill(),
    stop: () => {
      drainMs = DRAIN_MS
      return (stopped ??= undoAll())
    },
  }
}

/**
 * A cloud knows hosts by their names alone, on port 443. Those that this deployment's certificate is for are the
 * deployment itself, without TLS none is.
 */
function ownAddress(host: string, identity?: TlsIdentity, tlsBaseUrl?: string): HostAddress | undefined {
  if (identity === undefined || tlsBaseUrl === undefined) return undefined
  if (new X509Certificate(identity.cert).checkHost(host) === undefined) return undefined
  return { address: '127.0.0.1', port: Number(new URL(tlsBaseUrl).port), ...given('ca', identity.anchor) }
}

/** @throws Error when none was started, because the user named another */
function simulated<Simulator>(simulator: Simulator | undefined, name: string, endpoint: string): Simulator {
  if (simulator === undefined) throw new Error(`${name} is not simulated here, it is at ${endpoint}.`)
  return simulator
}

const TRIGGERS = 'triggers'

/** One member, or none: optional members are absent, not undefined. */
const given = <Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> =>
  value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>)

function identityOf(
  { tlsPort, tlsCert, tlsKey }: DeploymentOptions,
  dataDir: string | undefined,
): TlsIdentity | undefined {
  if (tlsPort === undefined) return undefined
  if (tlsCert !== undefined && tlsKey !== undefined) return readIdentity(tlsCert, tlsKey)
  return ownIdentity(dataDir, new Date()) // the machine's time: clients judge the certificate by theirs
}

async function tableOf({ tableEndpoint, engine }: DeploymentOptions, file: string | undefined) {
  if (tableEndpoint === undefined) return startTable({ ...given('engine', engine), ...given('file', file) })
  const ended = new Promise<string>(() => undefined) // somebody else's: it is not ours to watch or to end
  return { endpoint: tableEndpoint, enginePid: undefined, ended, stop: () => Promise.resolve() }
}

interface BootstrapAnswer {
  readonly administrator: string
  readonly generated_password?: string
}

/** Sets up what every deployment has; at a later start there is nothing to do. */
async function bootstrap(
  trigger: (name: string, more: object) => Promise<unknown>,
  adminPassword: string | undefined,
): Promise<BootstrapAnswer> {
  try {
    return (await trigger('bootstrap', given('admin_password', adminPassword))) as BootstrapAnswer
  } catch (error) {
    if (!(error instanceof FunctionFault)) throw error
    throw new StartRefusal(`The deployment could not be set up: ${error.message.split('\n', 1)[0] ?? ''}.`, {
      cause: error,
    })
  }
}
