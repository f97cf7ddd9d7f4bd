import { setTimeout as delay } from 'node:timers/promises'
import { ExecutionError, ExecutionTimeoutError, StateMachine } from 'aws-local-stepfunctions'
import type { RunOptions, StateMachineDefinition } from 'aws-local-stepfunctions'
import { faultOf } from '../functions/function-messages.ts'
import { FunctionFault } from '../functions/functions.ts'

/** Quotas of the platform: data between states, and events of one execution. */
export const MAX_DATA_BYTES = 256 * 1024
export const MAX_EVENTS = 25_000

export type FlowEnd =
  | { readonly status: 'SUCCEEDED'; readonly output: unknown }
  | { readonly status: 'FAILED' | 'TIMED_OUT'; readonly error?: string; readonly cause?: string }

export interface FlowRun {
  /** Never rejects. After `stop` the result has no meaning. */
  readonly ended: Promise<FlowEnd>
  /** Events so far as the platform would count them, or a few more. */
  readonly events: () => number
  /** Makes no further call. A running call continues, as in Lambda, and its answer is dropped. */
  readonly stop: () => void
}

export interface FlowOptions {
  readonly definition: StateMachineDefinition
  /** @throws FunctionFault, or any other error, which then counts as thrown by the function */
  readonly invoke: (functionName: string, payload: unknown) => Promise<unknown>
  readonly now: () => Date
  /**
   * Milliseconds to pause where the definition has `seconds`: for its Wait states, and for the first pause of its
   * retriers, which then is the length of all their pauses. Without it, all pauses take real time.
   */
  readonly pauseMs?: (seconds: number) => number
}

export interface Flow {
  /** @param execution values of the context object */
  readonly run: (input: unknown, execution: { readonly id: string; readonly name: string }) => FlowRun
}

type States = StateMachineDefinition['States']
type State = States[string]
type Handlers = NonNullable<NonNullable<RunOptions['overrides']>['taskResourceLocalHandlers']>
type Wait = Extract<State, { Type: 'Wait' }>
type Json = Awaited<ReturnType<Handlers[string]>>

/** @throws Error if the definition is not valid, or a task calls something other than a function */
export function createFlow({ definition, invoke, now, pauseMs }: FlowOptions): Flow {
  const checked = new StateMachine(definition)
  const states = statesIn(definition.States)
  for (const task of tasksAmong(states)) calledBy(task.state)
  // The library's overrides receive a state's name but not its data, so each Wait becomes a Task whose handler sleeps.
  const machine =
    pauseMs === undefined
      ? checked
      : new StateMachine(withWaitsAsTasks(definition), { validationOptions: { noValidate: true } })

  return {
    run: (input, execution) => {
      const stopped = new AbortController()
      const run = machine.run(input as Json, {
        context: contextOf(execution, now),
        overrides: {
          taskResourceLocalHandlers: {
            ...taskHandlers(states, invoke, stopped.signal),
            ...(pauseMs && waitHandlers(states, pauseMs, stopped.signal)),
          },
          ...(pauseMs && { retryIntervalOverrides: retryPauses(states, pauseMs) }),
        },
      })
      const stop = () => {
        stopped.abort()
        run.abort()
      }
      const history = countEvents(run.eventLogs, new Set(tasksAmong(states).map(({ name }) => name)), stop)
      return {
        ended: run.result
          .then(
            (output): FlowEnd => ({ status: 'SUCCEEDED', output }),
            (error: unknown) => (history.full() ? TOO_LONG : endOf(error)),
          )
          .finally(() => history.counted),
        events: history.count,
        stop,
      }
    },
  }
}

/** Every state by its name, also inside maps: names are unique in a definition. */
const statesIn = (states: States): [string, State][] =>
  Object.entries(states).flatMap(([name, state]) => [
    [name, state],
    ...(state.Type === 'Map' && state.ItemProcessor !== undefined ? statesIn(state.ItemProcessor.States) : []),
  ])

type Task = Extract<State, { Resource: string }>

const tasksAmong = (states: readonly [string, State][]): { readonly name: string; readonly state: Task }[] =>
  states.flatMap(([name, state]) => (state.Type === 'Task' ? [{ name, state }] : []))

/** @throws Error if the resource is not a function */
function calledBy({ Resource }: Task): string {
  const name = /^arn:[^:]+:lambda:[^:]*:\d{12}:function:([\w-]+)$/.exec(Resource)?.[1]
  if (name === undefined) throw new Error(`${Resource} is not the address of a function.`)
  return name
}

const taskHandlers = (
  states: readonly [string, State][],
  invoke: FlowOptions['invoke'],
  stopped: AbortSignal,
): Handlers =>
  Object.fromEntries(
    tasksAmong(states).map(({ name, state }) => [
      name,
      (payload) => callTask(() => invoke(calledBy(state), payload), stopped),
    ]),
  )

/** Handlers of the tasks that `withWaitsAsTasks` made from Waits; their input is the seconds. */
const waitHandlers = (
  states: readonly [string, State][],
  pauseMs: (seconds: number) => number,
  stopped: AbortSignal,
): Handlers =>
  Object.fromEntries(
    states
      .filter(([, { Type }]) => Type === 'Wait')
      .map(([name]) => [
        name,
        async (seconds) => {
          await delay(pauseMs(Number(seconds)), undefined, { signal: stopped })
          return null
        },
      ]),
  )

/** Entry times by the deployment's clock, which the library does not provide. */
const contextOf = (execution: { readonly id: string; readonly name: string }, now: () => Date) => ({
  Execution: { Id: execution.id, Name: execution.name },
  State: {
    get EnteredTime() {
      return now().toISOString()
    },
  },
})

/** Never called: a task must name a resource, but only its handler runs. */
const SLEEP = 'arn:aws:lambda:us-east-1:000000000000:function:sleep'
/** Longer than any wait of a flow; the library's default limit is a minute. */
const LONGEST_WAIT_SECONDS = 24 * 3600

function withWaitsAsTasks<Definition extends Pick<StateMachineDefinition, 'States'>>(
  definition: Definition,
): Definition {
  const States = Object.fromEntries(
    Object.entries(definition.States).map(([name, state]): [string, State] => {
      if (state.Type === 'Map' && state.ItemProcessor !== undefined)
        return [name, { ...state, ItemProcessor: withWaitsAsTasks(state.ItemProcessor) }]
      return [name, state.Type === 'Wait' ? asTask(state) : state]
    }),
  )
  return { ...definition, States }
}

/** The same Wait as a Task whose input is the seconds. @throws Error if the Wait is not in seconds */
function asTask(wait: Wait): State {
  const { Type: _, Seconds, SecondsPath, Timestamp, TimestampPath, InputPath, ...rest } = wait
  const seconds = SecondsPath === undefined ? { Parameters: Seconds ?? null } : { InputPath: SecondsPath }
  if (Timestamp !== undefined || TimestampPath !== undefined || InputPath !== undefined)
    throw new Error('Only a wait for seconds, without a path for its input, can be made shorter.')
  return { ...rest, ...seconds, Type: 'Task', Resource: SLEEP, ResultPath: null, TimeoutSeconds: LONGEST_WAIT_SECONDS }
}

const retryPauses = (states: readonly [string, State][], pauseMs: (seconds: number) => number) =>
  Object.fromEntries(
    states.flatMap(([name, state]) =>
      'Retry' in state ? [[name, state.Retry.map(({ IntervalSeconds = 1 }) => pauseMs(IntervalSeconds))]] : [],
    ),
  )

/** The error of a task, as retriers and catchers see it. */
class TaskError extends Error {
  override readonly name: string
  /**
   * The library requires it. An error that ends an execution matches no retrier and no catcher, not even `States.ALL`.
   */
  readonly isRetryable: boolean
  readonly isCatchable: boolean
  constructor(error: string, cause: string, { final = false } = {}) {
    super(cause)
    this.name = error
    this.isRetryable = !final
    this.isCatchable = !final
  }
}

async function callTask(call: () => Promise<unknown>, stopped: AbortSignal): Promise<Json> {
  // The library starts the waiting items of a map even after a stop.
  if (stopped.aborted) throw new TaskError('States.Runtime', 'The execution was stopped.', { final: true })
  const result = await call().catch((error: unknown) => {
    throw asTaskError(error)
  })
  if (Buffer.byteLength(JSON.stringify(result ?? null)) > MAX_DATA_BYTES)
    throw new TaskError(
      'States.DataLimitExceeded',
      'The state/task returned a result with a size exceeding the maximum number of bytes service limit.',
      { final: true },
    )
  return (result ?? null) as Json
}

/** The cause is a text that contains JSON, as Lambda reports a failure. */
function asTaskError(error: unknown): TaskError {
  const { errorType, errorMessage } = error instanceof FunctionFault ? error.fault : faultOf(error)
  return new TaskError(errorType, JSON.stringify({ errorType, errorMessage }))
}

function endOf(error: unknown): FlowEnd {
  if (error instanceof ExecutionTimeoutError) return { status: 'TIMED_OUT' }
  const cause = error instanceof ExecutionError ? error.cause : error
  if (cause instanceof Error) return { status: 'FAILED', error: cause.name, cause: cause.message }
  return { status: 'FAILED', error: 'States.Runtime', cause: String(cause) }
}

const TOO_LONG: FlowEnd = {
  status: 'FAILED',
  error: 'States.Runtime',
  cause: `The execution reached the maximum number of history events (${MAX_EVENTS}).`,
}

type EventLog = ReturnType<StateMachine['run']>['eventLogs']
type FlowEvent = EventLog extends AsyncGenerator<infer Event> ? Event : never

/** @param whenFull called once, when the execution has more events than the platform allows */
function countEvents(log: EventLog, tasks: ReadonlySet<string>, whenFull: () => void) {
  let count = 0
  let full = false
  const counted = (async () => {
    for await (const event of log) {
      count += weightOf(event, tasks)
      if (full || count <= MAX_EVENTS) continue
      full = true
      whenFull()
    }
  })()
  return { count: () => count, full: () => full, counted }
}

/** Events of a call in addition to those of its state: scheduled, started, ended. */
const CALL_EVENTS: Readonly<Record<string, number>> = {
  StateEntered: 2,
  StateRetried: 2,
  StateExited: 1,
  StateFailed: 1,
}
/** Events of the library that the platform does not count. */
const UNCOUNTED: ReadonlySet<string> = new Set(['StateFailed', 'StateRetried', 'StateCaught'])

function weightOf(event: FlowEvent, tasks: ReadonlySet<string>): number {
  const own = UNCOUNTED.has(event.type) ? 0 : 1
  if (!('state' in event)) return own
  if (event.state.type === 'Map') return own * 2 // for the start and the end of its items
  return own + (tasks.has(event.state.name) ? (CALL_EVENTS[event.type] ?? 0) : 0)
}
