import { fieldsOf, jsonOf } from '../../../shared/base/json.ts'
import type { FlowRow } from '../../flows.ts'
import type { Log } from '../log.ts'
import { STOPPED, type Execution } from '../stand-ins/step-functions.ts'

/** Calls the function of a flow's tasks with the event of one step. */
type CallStep = (functionName: string, event: object) => Promise<unknown>

type Data = Readonly<Record<string, unknown>>

/** The event of a task, from the data of its execution; `undefined` for a flow without such a task, or data without its fields. */
function eventOf(states: unknown, name: string, data: Data, now: Date): object | undefined {
  const { Parameters: parameters } = fieldsOf(fieldsOf(states)[name])
  if (parameters === undefined) return undefined
  const fields = Object.entries(fieldsOf(parameters)).map(([key, value]): [string, unknown] =>
    key.endsWith('.$') ? [key.slice(0, -2), data[String(value).slice('$.'.length)]] : [key, value],
  )
  const event = { ...Object.fromEntries(fields), scheduled_time: now.toISOString() }
  return Object.values<unknown>(event).some((value) => value === undefined) ? undefined : event
}

/** Longer than the end of a deployment takes, which aborts one execution after the other. */
const END_MS = 60_000

/** The executions that the end of the last deployment aborted. */
function abortedLast(executions: readonly Execution[]): Execution[] {
  const aborted = executions.filter(({ error }) => error === STOPPED.error)
  const stops = aborted.map(({ stopDate }) => stopDate?.getTime() ?? 0)
  return aborted.filter((_, at) => (stops[at] ?? 0) > Math.max(...stops) - END_MS)
}

/**
 * Takes the last step of executions that were aborted because the deployment ended: it finds open work in the table, and starts
 * another execution for it. Otherwise the sweeper would do so when the heartbeat of the work is overdue. Safe to repeat. One that
 * fails is left to the sweeper.
 */
export async function resumeAborted(
  executions: readonly Execution[],
  flows: readonly FlowRow[],
  { call, now, log }: { readonly call: CallStep; readonly now: () => Date; readonly log: Log },
): Promise<void> {
  for (const { flow, input } of abortedLast(executions)) {
    const row = flows.find(({ name }) => name === flow)
    if (row === undefined) continue
    const { States: states } = row.definition('')
    const data = fieldsOf(jsonOf(input))
    try {
      const begin = eventOf(states, 'Begin', data, now())
      const job = begin && (await call(row.calls, begin))
      const finish = eventOf(states, 'Finish', job === undefined ? data : { ...data, job }, now())
      if (finish !== undefined && job !== '') await call(row.calls, finish)
    } catch (error) {
      log.write('flows', `an aborted execution of ${flow} is left to the sweeper: ${String(error)}`)
    }
  }
}
