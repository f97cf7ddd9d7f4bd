import * as path from 'node:path'
import { FLOWS } from '../../flows.ts'
import { JOB_SCHEDULES } from '../../functions.ts'
import { given } from '../../simulators/toolkit/given.ts'
import { LOCAL_NAMES } from './account.ts'
import type { Clock } from '../clock.ts'
import { FILES } from '../data/data-directory.ts'
import { startEvents, type Events } from './events.ts'
import { startKms, type Kms } from './kms.ts'
import { startObjects, type Objects } from './objects.ts'
import type { RootKey } from './root-key.ts'
import { startScheduler, type Scheduler } from './scheduler/scheduler.ts'
import { startStepFunctions, type StepFunctions } from './step-functions.ts'
import { createTable, startTable, type Table } from '../table/table.ts'
import type { EngineName } from '../table/table-engines.ts'

/** The stand-ins of the platform's services, by their names in `endpoints.json`. */
export interface StandIns {
  readonly table: Omit<Table, 'enginePid'> & Partial<Pick<Table, 'enginePid'>>
  readonly kms: Kms
  readonly events: Events
  readonly step_functions: StepFunctions
  readonly scheduler: Scheduler
  readonly objects: Objects
}

export interface StandInSetting {
  readonly clock: Clock
  readonly dataDir: string | undefined
  readonly rootKey: RootKey
  readonly engine: EngineName | undefined
  /** A running table service, used instead of an engine. */
  readonly tableEndpoint: string | undefined
  readonly flowPauseMs: ((seconds: number) => number) | undefined
  /** @throws FunctionFault */
  readonly invoke: (functionName: string, payload: unknown) => Promise<unknown>
  readonly started: Partial<StandIns>
}

interface StandInRow<StandIn> {
  /** Environment variable from which the SDK of every function reads the stand-in's address. */
  readonly variable: `AWS_ENDPOINT_URL_${string}`
  readonly start: (setting: StandInSetting) => Promise<StandIn>
  /** The member of `endpoints.json` in addition to the address. */
  readonly describe: (setting: StandInSetting) => object
}

const fileIn = <Member extends string>(
  member: Member,
  { dataDir }: StandInSetting,
  name: keyof typeof FILES,
): Partial<Record<Member, string>> => given(member, dataDir === undefined ? undefined : path.join(dataDir, FILES[name]))

const ROWS: { readonly [Name in keyof StandIns]: StandInRow<StandIns[Name]> } = {
  table: {
    variable: 'AWS_ENDPOINT_URL_DYNAMODB',
    start: async (setting) => {
      const table = await openTable(setting)
      await createTable(table.endpoint, LOCAL_NAMES.table)
      return table
    },
    describe: () => ({ name: LOCAL_NAMES.table }),
  },
  kms: {
    variable: 'AWS_ENDPOINT_URL_KMS',
    start: ({ rootKey }) => startKms({ keys: [rootKey], aliases: { [LOCAL_NAMES.rootKeyAlias]: rootKey.id } }),
    describe: ({ rootKey }) => ({ key_id: rootKey.id }),
  },
  events: {
    variable: 'AWS_ENDPOINT_URL_EVENTBRIDGE',
    start: (setting) =>
      startEvents({ buses: [LOCAL_NAMES.bus], now: setting.clock.now, ...fileIn('file', setting, 'events') }),
    describe: () => ({ bus: LOCAL_NAMES.bus }),
  },
  step_functions: {
    variable: 'AWS_ENDPOINT_URL_SFN',
    start: (setting) =>
      startStepFunctions({
        flows: FLOWS,
        invoke: setting.invoke,
        now: setting.clock.now,
        ...fileIn('file', setting, 'flows'),
        ...given('pauseMs', setting.flowPauseMs),
      }),
    describe: () => ({}),
  },
  scheduler: {
    variable: 'AWS_ENDPOINT_URL_SCHEDULER',
    start: (setting) =>
      startScheduler({
        groups: [JOB_SCHEDULES.group],
        clock: setting.clock,
        targets: {
          startExecution: (machineArn, input) => setting.started.step_functions?.start(machineArn, input),
          invoke: setting.invoke,
        },
        ...fileIn('file', setting, 'schedules'),
      }),
    describe: () => ({ group: JOB_SCHEDULES.group }),
  },
  objects: {
    variable: 'AWS_ENDPOINT_URL_S3',
    start: (setting) =>
      startObjects({
        buckets: [LOCAL_NAMES.bucket],
        now: setting.clock.now,
        ...fileIn('directory', setting, 'objects'),
      }),
    describe: () => ({ bucket: LOCAL_NAMES.bucket }),
  },
}

async function openTable(setting: StandInSetting): Promise<StandIns['table']> {
  const { tableEndpoint, engine } = setting
  if (tableEndpoint === undefined)
    return startTable({ ...given('engine', engine), ...fileIn('file', setting, 'table') })
  const ended = new Promise<string>(() => undefined) // the user's table service, which is neither watched nor stopped
  return { endpoint: tableEndpoint, ended, stop: () => Promise.resolve() }
}

export interface StartedStandIns {
  readonly standIns: StandIns
  readonly environment: Readonly<Record<string, string>>
  /** Members of `endpoints.json`. */
  readonly endpoints: Readonly<Record<string, object>>
}

/**
 * Starts every stand-in, in the order of the rows.
 * @param undo receives one step for each stand-in, as soon as it runs
 */
export async function startStandIns(
  options: Omit<StandInSetting, 'started'>,
  undo: (() => unknown)[],
): Promise<StartedStandIns> {
  const started: Partial<StandIns> = {}
  const setting = { ...options, started }
  const environment: Record<string, string> = {}
  const endpoints: Record<string, object> = {}
  for (const [name, { variable, start, describe }] of Object.entries(ROWS)) {
    const standIn = await start(setting)
    Object.assign(started, { [name]: standIn })
    undo.push(standIn.stop)
    environment[variable] = standIn.endpoint
    endpoints[name] = { endpoint: standIn.endpoint, ...describe(setting) }
  }
  return { standIns: started as StandIns, environment, endpoints } // the loop started one for each row
}
