import { defined } from '../../../shared/base/fields.ts'
import type { FlowRow } from '../../flows.ts'
import { LOCAL_ACCOUNT } from './account.ts'
import { authorize } from './authorize.ts'
import { createFlow, MAX_DATA_BYTES, type Flow, type FlowEnd, type FlowOptions, type FlowRun } from './flow-run.ts'
import { openJournal, type Journal } from '../../simulators/toolkit/journal.ts'
import { serveJson } from '../../simulators/toolkit/aws/json-service.ts'
import { ServiceError } from '../../simulators/toolkit/service-error.ts'

/** One execution, as DescribeExecution reports it, with the deployment's times. */
export interface Execution {
  readonly arn: string
  readonly flow: string
  readonly name: string
  readonly status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED'
  /** JSON, as given */
  readonly input: string
  readonly startDate: Date
  readonly stopDate?: Date
  /** JSON */
  readonly output?: string
  readonly error?: string
  readonly cause?: string
  /** As the platform counts them, or a few more; it allows 25,000. */
  readonly events: number
}

export interface StepFunctions {
  readonly endpoint: string
  /** Address of the flow's state machine. */
  readonly arnOf: (flow: string) => string
  /** Starts an execution under a generated name. @param input JSON @throws ServiceError as StartExecution */
  readonly start: (machineArn: string, input: string) => Execution
  /** Oldest first. */
  readonly executions: () => readonly Execution[]
  /** Resolves when no execution runs, including those that other executions started. */
  readonly idle: () => Promise<void>
  /** Aborts running executions; the functions finish their running calls. Safe to repeat. */
  readonly stop: () => Promise<void>
}

export interface StepFunctionsOptions extends Omit<FlowOptions, 'definition'> {
  readonly flows: readonly Omit<FlowRow, 'variable'>[]
  /**
   * Stores executions, so that their names stay taken. Executions that ran when the process ended are recorded as
   * aborted.
   */
  readonly file?: string
}

const ARN = `arn:aws:states:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}`
const NAME_KEPT_MS = 90 * 24 * 3600 * 1000
const MAX_NAME_LENGTH = 80
const MAX_ERROR_LENGTH = 256
const MAX_CAUSE_LENGTH = 32_768
/** White space, brackets, wildcards, special characters, control characters, surrogates. */
const FORBIDDEN_IN_NAMES = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}\p{Cs}\uFFFE\uFFFF]|\u{10FFFF}/u

/**
 * Ours: the platform runs every started execution at once. Here each one takes 0.2 MB while it runs, so executions
 * above this number wait their turn.
 */
const EXECUTIONS_AT_ONCE = 1_000

type Input = Record<string, unknown>
type End = Pick<Execution, 'status' | 'output' | 'error' | 'cause'>

/**
 * A stand-in for the service that runs state machines: StartExecution, DescribeExecution and StopExecution over its
 * wire protocol, with its rules, using a package that runs their definitions. Not supported: executions do not survive
 * the process, and a wait ends by the machine's time, not by the deployment's. A definition is checked when it is first
 * started, which takes 0.1 seconds: many deployments of the tests run no flow.
 */
export async function startStepFunctions(options: StepFunctionsOptions): Promise<StepFunctions> {
  const executions = new Executions(options)
  const service = await serveJson('AWSStepFunctions', handlersOf(executions, options.now), {
    authorize,
    version: '1.0',
  })
  return {
    endpoint: service.endpoint,
    arnOf,
    start: (machineArn, input) => executions.start(machineArn, crypto.randomUUID(), input),
    executions: () => executions.all(),
    idle: () => executions.idle(),
    stop: async () => {
      await service.stop()
      executions.stop()
    },
  }
}

const handlersOf = (executions: Executions, now: () => Date): Record<string, (input: Input) => object> => ({
  StartExecution: (input) => {
    const [machineArn, name] = [arnIn(input, 'stateMachineArn'), nameIn(input)]
    const execution = executions.start(machineArn, name, textIn(input, 'input') ?? '{}')
    return { executionArn: execution.arn, startDate: seconds(execution.startDate) }
  },
  DescribeExecution: (input) => describe(executions.found(arnIn(input, 'executionArn'))),
  StopExecution: (input) => {
    const { arn } = executions.found(arnIn(input, 'executionArn'))
    const [error, cause] = [textIn(input, 'error', MAX_ERROR_LENGTH), textIn(input, 'cause', MAX_CAUSE_LENGTH)]
    // Ours: stopping an ended execution returns its end time; the documentation does not cover the case.
    const { stopDate } = executions.abort(arn, { ...(error && { error }), ...(cause && { cause }) })
    return { stopDate: seconds(stopDate ?? now()) }
  },
})

/** The executions of all flows: running ones, and ended ones whose names are still taken. */
class Executions {
  readonly #options: StepFunctionsOptions
  readonly #rows: ReadonlyMap<string, Omit<FlowRow, 'variable'>>
  readonly #flows = new Map<string, Flow>()
  readonly #kept = new Map<string, Execution>()
  readonly #running = new Map<string, { readonly run: FlowRun; readonly ended: Promise<void> }>()
  readonly #turns = createTurns(EXECUTIONS_AT_ONCE)
  readonly #journal: Journal<Execution>

  constructor(options: StepFunctionsOptions) {
    this.#options = options
    this.#rows = new Map(options.flows.map((row) => [arnOf(row.name), row]))
    const format = {
      subjectOf: ({ arn }: Execution) => arn,
      revive,
      settle: (lines: Execution[]) => settled(lines, options.now()),
    }
    this.#journal = openJournal(options.file, format, (execution) => this.#kept.set(execution.arn, execution))
  }

  /** @throws ServiceError as StartExecution */
  start(machineArn: string, name: string, input: string): Execution {
    const row = this.#rows.get(machineArn)
    if (row === undefined)
      throw new ServiceError('StateMachineDoesNotExist', `State Machine Does Not Exist: '${machineArn}'`)
    const parsed = parsedInput(input)
    const { now } = this.#options
    const arn = `${ARN}:execution:${row.name}:${name}`
    const earlier = this.#kept.get(arn)
    if (earlier !== undefined && !isForgotten(earlier, now())) {
      if (earlier.status === 'RUNNING' && earlier.input === input) return earlier
      throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${arn}'`)
    }
    const flow = this.#flowOf(row)
    const execution: Execution = {
      arn,
      flow: row.name,
      name,
      status: 'RUNNING',
      input,
      startDate: now(),
      events: 0,
    }
    this.#begin(execution, () => flow.run(parsed, { id: arn, name }))
    return execution
  }

  #flowOf(row: Omit<FlowRow, 'variable'>): Flow {
    const flow = this.#flows.get(row.name) ?? flowOf(row, this.#options)
    this.#flows.set(row.name, flow)
    return flow
  }

  #begin(execution: Execution, begin: () => FlowRun): void {
    const { arn } = execution
    this.#journal.write([execution]) // the execution is in the file before the answer is sent
    this.#kept.delete(arn) // a reused name counts as the youngest
    this.#kept.set(arn, execution)
    const run = this.#turns.take(begin)
    const ended = run.ended.then((how) => void this.#end(arn, asKept(how)))
    this.#running.set(arn, { run, ended: ended.catch(() => undefined) }) // a failed write aborts the execution
  }

  /** The first end counts: the result of a run after it was stopped is ignored. */
  #end(arn: string, how: End): Execution {
    const execution = this.found(arn)
    const run = this.#running.get(arn)?.run
    if (run === undefined) return execution
    this.#running.delete(arn)
    const ended = { ...execution, ...how, stopDate: this.#options.now(), events: run.events() }
    this.#kept.set(arn, ended)
    this.#journal.write([ended])
    return ended
  }

  /** @returns the execution as it ended, now or earlier */
  abort(arn: string, why: Pick<Execution, 'error' | 'cause'>): Execution {
    this.#running.get(arn)?.run.stop()
    return this.#end(arn, { status: 'ABORTED', ...why })
  }

  /** @throws ServiceError if it does not exist */
  found(arn: string): Execution {
    const execution = this.#kept.get(arn)
    if (execution === undefined) throw new ServiceError('ExecutionDoesNotExist', `Execution Does Not Exist: '${arn}'`)
    return execution
  }

  /** Oldest first. */
  all(): Execution[] {
    return [...this.#kept.values()].map((execution) => {
      const run = this.#running.get(execution.arn)?.run
      return run === undefined ? execution : { ...execution, events: run.events() }
    })
  }

  /** Waits for one after the other: repeated races over many promises need quadratic memory. */
  async idle(): Promise<void> {
    for (let [one] = this.#running.values(); one !== undefined; [one] = this.#running.values()) await one.ended
  }

  stop(): void {
    for (const arn of [...this.#running.keys()]) this.abort(arn, STOPPED)
    this.#journal.close()
  }
}

/** Bounds the number of running executions; the others wait in order. */
function createTurns(most: number) {
  const waiting: (() => void)[] = []
  let free = most
  const turn = (): Promise<void> | undefined =>
    free-- > 0 ? undefined : new Promise((resolve) => waiting.push(resolve))
  const next = (): void => {
    free++
    waiting.shift()?.()
  }
  return {
    take: (begin: () => FlowRun): FlowRun => {
      let run: FlowRun | undefined
      let isStopped = false
      const ended = async (): Promise<FlowEnd> => {
        await turn()
        try {
          if (isStopped) return { status: 'FAILED' } // `stop` has reported the end
          run = begin()
          return await run.ended
        } finally {
          next()
        }
      }
      return {
        ended: ended(),
        events: () => run?.events() ?? 0,
        stop: () => {
          isStopped = true
          run?.stop()
        },
      }
    },
  }
}

const arnOf = (flow: string): string => `${ARN}:stateMachine:${flow}`

/** @throws Error if the definition is not valid: the start that needs it is answered 500 */
const flowOf = ({ calls, definition }: Omit<FlowRow, 'variable'>, options: StepFunctionsOptions): Flow =>
  createFlow({
    ...options,
    definition: definition(`arn:aws:lambda:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}:function:${calls}`),
  })

const asKept = (how: FlowEnd): End =>
  how.status === 'SUCCEEDED' ? { ...how, output: JSON.stringify(how.output) } : how

export const STOPPED = { error: 'Deployment.Stopped', cause: 'The deployment ended while the execution ran.' }

const isForgotten = ({ stopDate }: Execution, now: Date): boolean =>
  stopDate !== undefined && stopDate.getTime() + NAME_KEPT_MS < now.getTime()

/** Executions of an earlier process, without those whose names are free again. */
const settled = (found: readonly Execution[], now: Date): Execution[] =>
  found
    .map((execution) =>
      execution.status === 'RUNNING'
        ? { ...execution, ...STOPPED, status: 'ABORTED' as const, stopDate: now }
        : execution,
    )
    .filter((execution) => !isForgotten(execution, now))

const revive = (name: string, value: unknown): unknown =>
  (name === 'startDate' || name === 'stopDate') && typeof value === 'string' ? new Date(value) : value

/** Times of the JSON protocols are in seconds. */
const seconds = (date: Date): number => date.getTime() / 1000

function describe({ arn, flow, name, status, input, startDate, stopDate, output, error, cause }: Execution): object {
  const included = { included: true }
  return {
    executionArn: arn,
    stateMachineArn: arnOf(flow),
    name,
    status,
    startDate: seconds(startDate),
    input,
    inputDetails: included,
    ...(stopDate && { stopDate: seconds(stopDate) }),
    ...(output !== undefined && { output, outputDetails: included }),
    ...defined({ error, cause }),
  }
}

const invalid = (field: string, constraint: string): ServiceError =>
  new ServiceError(
    'ValidationException',
    `1 validation error detected: Value at '${field}' failed to satisfy constraint: ${constraint}`,
  )

function textIn(input: Input, field: string, most = Infinity): string | undefined {
  const value = input[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw new ServiceError('SerializationException', `${field} is a text.`)
  if (value.length > most) throw invalid(field, `Member must have length less than or equal to ${most}`)
  return value
}

function arnIn(input: Input, field: 'stateMachineArn' | 'executionArn'): string {
  const arn = textIn(input, field)
  if (arn === undefined) throw invalid(field, 'Member must not be null')
  const [resource, names] = field === 'stateMachineArn' ? ['stateMachine', 1] : ['execution', 2]
  if (new RegExp(`^arn:aws[a-z-]*:states:[a-z0-9-]+:\\d{12}:${resource}(:[^:]+){${names}}$`).test(arn)) return arn
  throw new ServiceError('InvalidArn', `Invalid Arn: '${arn}'`)
}

/** The given name, or a generated one. */
function nameIn(input: Input): string {
  const name = textIn(input, 'name', MAX_NAME_LENGTH) ?? crypto.randomUUID()
  if (name.length > 0 && !FORBIDDEN_IN_NAMES.test(name)) return name
  throw new ServiceError('InvalidName', `Invalid Name: '${name}'`)
}

function parsedInput(input: string): unknown {
  if (Buffer.byteLength(input) > MAX_DATA_BYTES)
    throw invalid('input', `Member must have length less than or equal to ${MAX_DATA_BYTES}`)
  try {
    return JSON.parse(input)
  } catch {
    throw new ServiceError('InvalidExecutionInput', 'Invalid State Machine Execution Input: it is not JSON.')
  }
}
