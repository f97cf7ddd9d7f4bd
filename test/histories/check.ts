import type { Entry, Model, ResourceHistory } from './history.ts'

/** A search that is wider than this is not decided. */
const MOST_STEPS = 150_000

type Records = Readonly<Record<string, number>>

/**
 * Decides whether one order of the calls explains all answers: each call takes effect at one moment between request and
 * answer, and an unanswered one after its request or never. With `records`, the effects of that order must be the ones
 * in the audit log, each once.
 * @returns sentences about what is wrong; none if all is explained
 * @throws Error if too many orders are possible
 * @see Wing and Gong, Testing and Verifying Concurrent Objects (1993), and Lowe's memory of configurations seen (2017)
 */
export function faultsOf(history: ResourceHistory, model: Model, most = MOST_STEPS): readonly string[] {
  if (isExplained(history, model, history.records, most)) return []
  if (!isExplained(history, model, undefined, most))
    return [`${history.name}: no order of the calls explains the answers.`]
  return [`${history.name}: the audit log has ${JSON.stringify(history.records)}; no order has these effects.`]
}

interface Configuration {
  readonly state: string
  readonly taken: bigint
}

function isExplained(
  { entries, initial }: ResourceHistory,
  model: Model,
  records: Records | undefined,
  most: number,
): boolean {
  const seen = new Set<string>()
  const open: Configuration[] = [{ state: initial, taken: 0n }]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (isEnd(entries, at.taken) && hasRecords(entries, at.taken, records)) return true
    for (const next of following(entries, model, at)) {
      const key = `${next.taken} ${next.state}`
      if (seen.has(key) || exceeds(entries, next.taken, records)) continue
      if (seen.size > most) throw new Error('Too many orders: shorten the history')
      seen.add(key)
      open.push(next)
    }
  }
  return false
}

const has = (taken: bigint, index: number): boolean => ((taken >> BigInt(index)) & 1n) === 1n

/** Configurations one call later: the calls that began before every remaining call had ended. */
function* following(
  entries: readonly Entry[],
  model: Model,
  { state, taken }: Configuration,
): Generator<Configuration, void> {
  let firstEnd = Infinity
  for (const [index, { ended }] of entries.entries()) if (!has(taken, index)) firstEnd = Math.min(firstEnd, ended)
  for (const [index, { began, action, answer }] of entries.entries()) {
    if (has(taken, index) || began > firstEnd) continue
    const next = model.next(state, action, answer)
    if (next !== undefined) yield { state: next, taken: taken | (1n << BigInt(index)) }
  }
}

/** Whether only unanswered calls remain: they need no effect. */
const isEnd = (entries: readonly Entry[], taken: bigint): boolean =>
  entries.every(({ answer }, index) => answer === undefined || has(taken, index))

/** How often each effect has happened, by its message. */
function effectsOf(entries: readonly Entry[], taken: bigint): Record<string, number> {
  const effects: Record<string, number> = {}
  for (const [index, { effect, answer }] of entries.entries()) {
    if (!has(taken, index) || effect === undefined) continue
    if (answer === undefined || answer.outcome === 'done') effects[effect] = (effects[effect] ?? 0) + 1
  }
  return effects
}

function exceeds(entries: readonly Entry[], taken: bigint, records: Records | undefined): boolean {
  if (records === undefined) return false
  return Object.entries(effectsOf(entries, taken)).some(([effect, count]) => count > (records[effect] ?? 0))
}

function hasRecords(entries: readonly Entry[], taken: bigint, records: Records | undefined): boolean {
  if (records === undefined) return true
  const effects = effectsOf(entries, taken)
  return [...Object.keys(effects), ...Object.keys(records)].every(
    (effect) => (effects[effect] ?? 0) === (records[effect] ?? 0),
  )
}
