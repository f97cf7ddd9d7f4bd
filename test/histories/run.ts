import type { ResourceHistory } from './history.ts'
import type { Kind } from './kinds.ts'
import { planOf, type Plan } from './plan.ts'
import { play, type Played } from './play.ts'
import type { Setting } from './setting.ts'
import { proveTree } from './tree.ts'

/** A history that no order explains. */
export interface Unexplained {
  readonly seed: number
  readonly faults: readonly string[]
  readonly text: string
}

export interface Result {
  readonly histories: number
  readonly calls: number
  readonly unanswered: number
  /** records that were proven to be in the audit tree once */
  readonly proven: number
  readonly unexplained: readonly Unexplained[]
}

/** Numbers of histories and the seeds that they use: `from`, `from + 1`, ... */
export interface Run {
  readonly from: number
  readonly count: number
  readonly kinds?: readonly Kind[] | undefined
  /** called after each history; the run ends when it returns true */
  readonly after?: (played: Played, plan: Plan) => boolean
}

/** Runs in this process: a setting may play the same seeds again, under other names. */
let runs = 0

/** Plays histories one after another, then proves the audit tree over all their records. */
export async function runHistories(setting: Setting, { from, count, kinds, after }: Run): Promise<Result> {
  const run = ++runs
  const result = { histories: 0, calls: 0, unanswered: 0 }
  const unexplained: Unexplained[] = []
  for (let seed = from; seed < from + count; seed++) {
    const plan = planOf(seed, kinds)
    const played = await play(setting, plan, `h${seed}-${run}`)
    result.histories++
    result.calls += played.calls
    result.unanswered += played.unanswered
    if (played.faults.length > 0) unexplained.push({ seed, faults: played.faults, text: textOf(plan, played) })
    if (after?.(played, plan) === true) break
  }
  return { ...result, proven: await proveTree(setting), unexplained }
}

/** All that a reader needs to follow a history by hand. */
function textOf(plan: Plan, { resources, faults }: Played): string {
  const { seed, kind, death } = plan
  const injected = plan.faults.map(({ fault, probability }) => `${fault} ${probability}`).join(', ')
  const title = `seed ${seed}, ${kind.name}, faults: ${injected || 'none'}, death: ${death ?? 'none'}`
  return [title, ...faults, ...resources.map(timelineOf)].join('\n')
}

function timelineOf({ name, initial, entries, records }: ResourceHistory): string {
  const lines = [...entries]
    .sort((one, other) => one.began - other.began)
    .map(({ client, action, began, ended, answer }) => {
      const { verb, ...asked } = action
      const outcome = answer === undefined ? 'no answer' : JSON.stringify(answer)
      return `  ${began}-${ended} client ${client}: ${verb} ${JSON.stringify(asked)} => ${outcome}`
    })
  return [`${name}, at first ${initial}, records ${JSON.stringify(records)}`, ...lines].join('\n')
}
