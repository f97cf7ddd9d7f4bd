import { X509Certificate } from 'node:crypto'
import * as path from 'node:path'
import { AUDITED_BY_LOG, FUNCTIONS, SCHEDULES, type FunctionRow, type ScheduleRow } from '../functions.ts'
import type { Simulators } from '../simulators/all.ts'
import { given } from '../simulators/toolkit/given.ts'
import type { HostAddress } from '../simulators/toolkit/simulator.ts'
import { LOCAL_ACCOUNT, LOCAL_NAMES } from './stand-ins/account.ts'
import { ownIdentity, readIdentity, type TlsIdentity } from './gateway/certificate.ts'
import { createClock, type Clock } from './clock.ts'
import { assertTableKept, FILES, noteBegun, openDataDirectory } from './data/data-directory.ts'
import { endpointsOf, writeEndpoints } from './data/endpoints-file.ts'
import type { BusEvent } from './stand-ins/events.ts'
import { functionEnvironment } from './functions/function-environment.ts'
import { createFunction, FunctionFault, type LocalFunction } from './functions/functions.ts'
import { startGateway, type Observer } from './gateway/gateway.ts'
import type { Kms } from './stand-ins/kms.ts'
import { takeLock } from './data/lock.ts'
import { createLog, type LogLine } from './log.ts'
import { createLogSubscription } from './stand-ins/log-subscription.ts'
import { createRootKey, openRootKey } from './stand-ins/root-key.ts'
import { createRouter } from './gateway/routing.ts'
import { resumeAborted } from './functions/resume-aborted.ts'
import { startPeople, type StartedPeople } from './people.ts'
import { runSchedules } from './schedules.ts'
import type { Scheduler } from './stand-ins/scheduler/scheduler.ts'
import { startSimulators, type StartedSimulators } from './simulators.ts'
import { startStandIns, type StartedStandIns } from './stand-ins/stand-ins.ts'
import { StartRefusal } from './command/start-refusal.ts'
import type { StepFunctions } from './stand-ins/step-functions.ts'
import type { EngineName } from './table/table-engines.ts'

export interface DeploymentOptions {
  /** Fills `bundles`. It runs after ports and data directory are taken, so a refused start does not wait for it. */
  readonly build?: () => Promise<unknown>
  /** Folder that `buildFunctions` filled: `<name>/index.mjs` for every row. */
  readonly bundles: string
  /** Folder of all data. Without it, or with `inMemory`, the data ends with the deployment. */
  readonly dataDir?: string
  readonly inMemory?: boolean
  /** 0, the default, takes any free port. */
  readonly port?: number
  /** Without it, HTTPS is off. */
  readonly tlsPort?: number | 'any'
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly engine?: EngineName
  /** A running table service, used instead of an engine that keymgr starts. */
  readonly tableEndpoint?: string
  /** Addresses of clouds by name, used instead of the simulated ones. */
  readonly cloudEndpoints?: Readonly<Record<string, string>>
  /** Limit of a simulated cloud for a call to this deployment. Default: the limit of the real cloud. */
  readonly proxyTimeoutMs?: number
  /** Used at the first start only: later starts do not change the administrator. */
  readonly adminPassword?: string
  /** Creates an empty table where the data directory has lost its table. */
  readonly beginAnew?: boolean
  /** Gives the administrator a new password, as `generatedPassword`. */
  readonly recoverAdministrator?: boolean
  readonly log?: (line: LogLine) => void
  /** Receives requests and answers, from which the examples of the API description are chosen. */
  readonly observe?: Observer | undefined
  /**
   * Fires schedules when they are due, and delivers log lines soon after they are written. Without it, `fire`,
   * `scheduler.fireDue` and `logsDelivered` do so.
   */
  readonly schedules?: boolean
  readonly clock?: Clock
  /** Milliseconds that flows wait for a pause of this many seconds. Default: the real seconds. */
  readonly flowPauseMs?: (seconds: number) => number
  /** Receives one sentence when the deployment can no longer work. */
  readonly onFailure?: (sentence: string) => void
  /** Further variables of all functions, such as `KEYMGR_CALLS_PER_SECOND`. */
  readonly environment?: Readonly<Record<string, string>>
  /** Function rows of a deployment that is not the whole one. */
  readonly functions?: readonly FunctionRow[]
}

/** Each simulator is a member. Reading it throws an Error if `cloudEndpoints` replaces that cloud. */
export interface Deployment extends Simulators {
  /** `http://127.0.0.1:<port>`, without `/api` */
  readonly baseUrl: string
  readonly tlsBaseUrl?: string
  /** PEM of the issuer that clients of `tlsBaseUrl` must trust, when the certificate is self-made. */
  readonly caCertificate?: string
  readonly dataDir?: string
  readonly clock: Clock
  readonly administrator: string
  /** Only at the first start without a given password, and after `recoverAdministrator`. */
  readonly generatedPassword?: string
  /** For tests that break the root key. */
  readonly kms: Kms
  readonly rootKeyId: string
  readonly table: { readonly endpoint: string; readonly name: string }
  /** @throws FunctionFault */
  readonly invoke: (functionName: string, event: unknown) => Promise<unknown>
  /** Fires one schedule now; returns the trigger's answer. @throws FunctionFault */
  readonly fire: (trigger: ScheduleRow['trigger']) => Promise<unknown>
  readonly events: () => readonly BusEvent[]
  /** Addresses of all clouds by name, simulated or not. */
  readonly cloudEndpoints: Readonly<Record<string, string>>
  /** Addresses of the identity provider and the directory of this machine's people. */
  readonly people: Pick<StartedPeople, 'issuer' | 'directoryUrl'>
  /** Content of `endpoints.json`, also of a deployment without a data directory. */
  readonly endpoints: () => Readonly<Record<string, unknown>>
  readonly flows: Pick<StepFunctions, 'endpoint' | 'arnOf' | 'executions' | 'idle'>
  /** Resolves when new executions have replaced those that the last stop of the deployment aborted. */
  readonly resumed: Promise<void>
  /** The schedules that functions create. They start executions of `flows`; `flows.idle` waits for their end. */
  readonly scheduler: Omit<Scheduler, 'run' | 'stop'>
  readonly logs: () => readonly LogLine[]
  /** Resolves when every line of `logs` that belongs in the audit has been delivered. */
  readonly logsDelivered: () => Promise<void>
  readonly environmentOf: (functionName: string) => Readonly<Record<string, string>>
  /** Ends the function's worker at once, as a crash would; the next call starts another. */
  readonly kill: (functionName: string) => Promise<void>
  /** Finishes the running calls, then ends everything. Safe to repeat. */
  readonly stop: () => Promise<void>
}

/** Limit for running answers at the end, just above the limit of a function. */
const DRAIN_MS = 30_000
const TRIGGERS = 'triggers'

/** Steps that end what was started, in the order of the starts. */
type Undo = (() => unknown)[]

/**
 * @throws StartRefusal, with one sentence for the user, if it cannot start; then everything already started is ended
 */
export async function startDeployment(options: DeploymentOptions): Promise<Deployment> {
  const undo: Undo = []
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

async function start(options: DeploymentOptions, undo: Undo, undoAll: () => Promise<void>): Promise<Deployment> {
  const base = await openBase(options, undo)
  const { clock, dataDir, rootKey, functions, functionNamed, log, subscription, identity, gateway } = base
  const invoke: Deployment['invoke'] = async (name, event) => functionNamed(name).invoke(event)
  await options.build?.()
  const { standIns, simulators, people } = await startServices(base, options, invoke, undo)
  const { table, kms, events, step_functions: flows, scheduler } = standIns.standIns
  createFunctions(base, options, { standIns, simulators })
  let drainMs = 0 // a failed start has no calls worth finishing
  undo.push(() => Promise.all([...functions.values()].map((each) => each.stop(drainMs))))
  undo.push(flows.stop) // undone before the functions that its tasks call
  const trigger = (name: string) => invoke(TRIGGERS, triggered(name, clock))
  const setUp = (name: string, more: object) =>
    functionNamed(TRIGGERS).invoke({ ...triggered(name, clock), ...more }, { reported: true })
  const { administrator, generated_password } = await bootstrap(setUp, options)
  if (dataDir !== undefined && options.tableEndpoint === undefined) noteBegun(dataDir)
  if (options.schedules === true) undo.push(subscription.run()) // undone between the front door and the functions
  gateway.open()
  const report = (detail: object) => functionNamed(TRIGGERS).invoke({ ...triggered('execution-ended', clock), detail })
  const resumed = resumeAborted(flows.executions(), { report, arnOf: flows.arnOf, log })
  undo.push(() => resumed)
  const published = { gateway, anchor: identity?.anchor, standIns, simulators, people }
  if (dataDir !== undefined) undo.push(writeEndpoints(path.join(dataDir, FILES.endpoints), published))
  undo.push(() => gateway.stop(drainMs)) // undone before the functions; a second call has no effect
  if (options.schedules === true)
    undo.push(
      runSchedules(SCHEDULES, (name) => trigger(name)),
      scheduler.run(),
    )
  let stopped: Promise<void> | undefined
  void table.ended.then((reason) => {
    if (stopped === undefined) options.onFailure?.(`The table engine ended unexpectedly (${reason}).`)
  })
  const deployment: Omit<Deployment, keyof Simulators> = {
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
    invoke,
    fire: (name) => trigger(name),
    events: events.all,
    cloudEndpoints: simulators.cloudEndpoints,
    people,
    endpoints: () => endpointsOf(published),
    flows,
    resumed,
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
  return Object.defineProperties(deployment, Object.getOwnPropertyDescriptors(simulators.members)) as Deployment
}

/** Opens the ports first: a taken port is the most frequent reason for a refusal, and functions need the address. */
async function openBase(options: DeploymentOptions, undo: Undo) {
  const rows = options.functions ?? FUNCTIONS
  const clock = options.clock ?? createClock()
  const dataDir =
    options.inMemory === true || options.dataDir === undefined ? undefined : openDataDirectory(options.dataDir)
  const fileIn = (name: keyof typeof FILES) => (dataDir === undefined ? undefined : path.join(dataDir, FILES[name]))
  const lock = dataDir === undefined ? undefined : takeLock(path.join(dataDir, FILES.lock))
  undo.push(() => lock?.release())
  const rootKey = dataDir === undefined ? createRootKey() : openRootKey(dataDir)
  const hasOwnTable = dataDir !== undefined && options.tableEndpoint === undefined
  if (hasOwnTable && options.beginAnew !== true) assertTableKept(dataDir)
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
  const identity = identityOf(options, dataDir)
  const gateway = await startGateway({
    clock,
    port: options.port ?? 0,
    ...(identity && { tls: { ...identity, port: options.tlsPort === 'any' ? 0 : (options.tlsPort ?? 0) } }),
    route: createRouter(rows),
    invoke: async (name, event) => functionNamed(name).invoke(event),
    onFault: (text) => log.write('keymgr', text, { warns: true }),
    observe: options.observe,
  })
  undo.push(() => gateway.stop(0))
  return { rows, clock, dataDir, lock, rootKey, functions, functionNamed, subscription, log, identity, gateway }
}

/** Starts the services that functions call: the platform's stand-ins, the simulated clouds and where people log in. */
async function startServices(
  { clock, dataDir, rootKey, lock, identity, gateway }: Awaited<ReturnType<typeof openBase>>,
  { engine, tableEndpoint, flowPauseMs, proxyTimeoutMs, cloudEndpoints = {} }: DeploymentOptions,
  invoke: Deployment['invoke'],
  undo: Undo,
): Promise<{ standIns: StartedStandIns; simulators: StartedSimulators; people: StartedPeople }> {
  const standIns = await startStandIns({ clock, dataDir, rootKey, engine, tableEndpoint, flowPauseMs, invoke }, undo)
  const { enginePid } = standIns.standIns.table
  if (enginePid !== undefined) lock?.noteEngine(enginePid)
  const resolve = (host: string) => ownAddress(host, identity, gateway.tlsBaseUrl)
  const platform = { account: LOCAL_ACCOUNT.id, credentials: LOCAL_ACCOUNT.credentials }
  const setting = { clock, resolve, dataDir, platform, ...given('proxyTimeoutMs', proxyTimeoutMs) }
  return {
    standIns,
    simulators: await startSimulators(setting, cloudEndpoints, undo),
    people: await startPeople({ clock, dataDir, identity, tlsBaseUrl: gateway.tlsBaseUrl }, undo),
  }
}

/** Creates every function. The first call starts its worker. */
function createFunctions(
  { rows, functions, rootKey, gateway, identity, log }: Awaited<ReturnType<typeof openBase>>,
  { bundles, environment: more }: DeploymentOptions,
  { standIns, simulators }: { standIns: StartedStandIns; simulators: StartedSimulators },
): void {
  const addresses = { ...standIns.environment, ...simulators.environment }
  const running = {
    ...standIns.standIns,
    rootKeyId: rootKey.id,
    baseUrl: gateway.baseUrl,
    tlsBaseUrl: gateway.tlsBaseUrl,
    anchor: identity?.anchor,
  }
  for (const row of rows) {
    const environment = { ...addresses, ...functionEnvironment(row, running), ...more }
    functions.set(row.name, createFunction(row, { bundles, environment, log }))
  }
}

/** The front door's address for host names of its certificate; `undefined` without TLS. */
function ownAddress(host: string, identity?: TlsIdentity, tlsBaseUrl?: string): HostAddress | undefined {
  if (identity === undefined || tlsBaseUrl === undefined) return undefined
  if (new X509Certificate(identity.cert).checkHost(host) === undefined) return undefined
  return { address: '127.0.0.1', port: Number(new URL(tlsBaseUrl).port), ...given('ca', identity.anchor) }
}

function identityOf(
  { tlsPort, tlsCert, tlsKey }: DeploymentOptions,
  dataDir: string | undefined,
): TlsIdentity | undefined {
  if (tlsPort === undefined) return undefined
  if (tlsCert !== undefined && tlsKey !== undefined) return readIdentity(tlsCert, tlsKey)
  return ownIdentity(dataDir, new Date()) // the machine's time, by which clients check the certificate
}

/** The event of a trigger. */
const triggered = (trigger: string, { now }: Clock) => ({ trigger, scheduled_time: now().toISOString() })

interface BootstrapAnswer {
  readonly administrator: string
  readonly generated_password?: string
}

/** Creates the first domain and its administrator. A later start changes nothing unless recovery was requested. */
async function bootstrap(
  trigger: (name: string, more: object) => Promise<unknown>,
  { adminPassword, recoverAdministrator }: DeploymentOptions,
): Promise<BootstrapAnswer> {
  try {
    const made = (await trigger('bootstrap', given('admin_password', adminPassword))) as BootstrapAnswer
    return recoverAdministrator === true ? ((await trigger('recover-administrator', {})) as BootstrapAnswer) : made
  } catch (error) {
    if (!(error instanceof FunctionFault)) throw error
    const [reason = ''] = error.fault.errorMessage.split('\n', 1)
    throw new StartRefusal(`The deployment could not be set up: ${reason.replace(/\.$/, '')}.`, { cause: error })
  }
}
