import { dieAt } from '../support/deaths.ts'
import { faultsOf } from './check.ts'
import type { Action, Answer, Entry, ResourceHistory } from './history.ts'
import type { Asked, Kind } from './kinds.ts'
import type { Plan, Step } from './plan.ts'
import { send, type Received, type Setting } from './setting.ts'

/** The state of a resource as the clients have seen it, from which they choose later calls. */
interface Resource {
  readonly name: string
  readonly initial: string
  readonly entries: Entry[]
  id: string
  rev: number
}

/** A history that was played. */
export interface Played {
  readonly resources: readonly ResourceHistory[]
  /** sentences; empty if everything is explained */
  readonly faults: readonly string[]
  readonly calls: number
  readonly unanswered: number
}

/** Id of a document that no client has seen yet, in the form of the kind's ids. */
const NEVER_SEEN = '00000000-0000-7000-8000-000000000001'
const MOST_REPETITIONS = 4

/** Lets all clients of a plan act at once, then reads the end and the audit records, and decides. */
export async function play(setting: Setting, plan: Plan, unique: string): Promise<Played> {
  const { kind } = plan
  const resources = await Promise.all(
    Array.from({ length: plan.resources }, async (_, index): Promise<Resource> => {
      const name = kind.nameOf(unique, index)
      const initial = await kind.prepare(setting, name)
      return { name, initial, entries: [], id: kind.name === 'group' ? name : NEVER_SEEN, rev: 1 }
    }),
  )
  const since = new Date(Date.now() - 1)
  const history = new HistoryOf(setting, plan, unique, await setting.token())
  await underFaults(setting, plan, () => history.run(resources))
  for (const resource of resources) await history.readEnd(resource)
  const records = await recordsSince(setting, since, kind)
  const played = resources.map(({ name, initial, entries }) => ({
    name,
    initial,
    entries,
    records: records.get(name) ?? {},
  }))
  const entries = resources.flatMap((each) => each.entries)
  return {
    resources: played,
    faults: played.flatMap((each) => faultsOf(each, kind.model)),
    calls: entries.length,
    unanswered: entries.filter(({ answer }) => answer === undefined).length,
  }
}

/** @throws Error if a fault cannot be injected */
async function underFaults({ proxy, deployment }: Setting, plan: Plan, work: () => Promise<void>): Promise<void> {
  proxy.reset()
  for (const rule of plan.faults) proxy.inject(rule)
  const disarm =
    plan.death === undefined ? undefined : dieAt(deployment, proxy, { of: plan.kind.of, at: 'table', n: plan.death })
  await work()
  disarm?.()
  proxy.reset()
}

class HistoryOf {
  readonly #setting: Setting
  readonly #plan: Plan
  readonly #unique: string
  readonly #token: string
  #tick = 0

  constructor(setting: Setting, plan: Plan, unique: string, token: string) {
    this.#setting = setting
    this.#plan = plan
    this.#unique = unique
    this.#token = token
  }

  async run(resources: readonly Resource[]): Promise<void> {
    const client = async (steps: readonly Step[], number: number): Promise<void> => {
      for (const [at, step] of steps.entries()) {
        const resource = resources[step.resource]
        if (resource === undefined) throw new Error('The plan names a resource that it does not have')
        const action = this.#actionOf(step, resource, `${number}.${at}`)
        await this.#act(resource, number, action, step.repeated ? `${this.#unique}-${number}-${at}` : undefined)
      }
    }
    await Promise.all(this.#plan.clients.map(client))
  }

  /** Reads the resource when all clients have ended and no fault is left. */
  async readEnd(resource: Resource): Promise<void> {
    await this.#act(resource, -1, { verb: 'find' }, undefined)
  }

  #actionOf({ verb, conditional, user }: Step, { id, rev }: Resource, value: string): Action {
    switch (verb) {
      case 'create':
        return { verb, value }
      case 'find':
      case 'append':
        return { verb }
      case 'read':
        return { verb, id }
      case 'change':
        return { verb, id, value, ...(conditional && { rev }) }
      case 'remove':
        return { verb, id, ...(conditional && { rev }) }
      default:
        return { verb, user: this.#plan.kind.userOf?.() ?? this.#setting.users[user] ?? '' }
    }
  }

  async #act(resource: Resource, client: number, action: Action, key: string | undefined): Promise<void> {
    const { kind } = this.#plan
    const asked = kind.ask(resource.name, action, this.#setting)
    const began = ++this.#tick
    const received = await this.#answered(asked, key)
    const ended = ++this.#tick
    const answer = received && answerOf(kind, action, received, resource.name)
    if (answer?.id !== undefined) resource.id = answer.id
    if (answer?.rev !== undefined) resource.rev = answer.rev
    resource.entries.push({
      client,
      action,
      effect: kind.effects[action.verb],
      began,
      ended: answer === undefined ? Infinity : ended,
      answer,
    })
  }

  /** Sends a request, and a POST with a key again until it is answered. */
  async #answered({ headers, ...asked }: Asked, key: string | undefined): Promise<Received | undefined> {
    const isRepeated = key !== undefined && asked.method === 'POST'
    const all = { ...headers, ...(isRepeated && { 'idempotency-key': key }) }
    for (let attempt = 0; attempt <= (isRepeated ? MOST_REPETITIONS : 0); attempt++) {
      const received = await send(this.#setting.baseUrl, this.#token, { ...asked, headers: all }).catch(() => undefined)
      if (received !== undefined && received.status < 500 && (attempt === 0 || !isBusy(received))) return received
    }
    return undefined
  }
}

const STATE_CONFLICT = 8

const isBusy = ({ status, text }: Received): boolean =>
  status === 429 || (status === 409 && (JSON.parse(text) as { code?: number }).code === STATE_CONFLICT)

const REFUSALS: Readonly<Record<number, Answer['outcome']>> = { 404: 'absent', 409: 'taken', 412: 'stale' }

/** @throws Error for an answer that no call should get */
function answerOf(kind: Kind, action: Action, received: Received, name: string): Answer {
  const { status, etag, text } = received
  if (isBusy(received)) return { outcome: 'busy' }
  if (status >= 300) {
    const outcome = REFUSALS[status]
    if (outcome === undefined) throw new Error(`${kind.name}: ${JSON.stringify(action)} got ${status} ${text}`)
    return { outcome }
  }
  const shown = kind.shown(JSON.parse(text), action, name)
  const rev = kind.revisions && etag !== null ? Number(etag.replaceAll('"', '')) : undefined
  return { outcome: 'done', ...shown, ...(shown.outcome === undefined && { rev }) }
}

/** Numbers of successful records by message, by the name of their resource. */
async function recordsSince(
  { baseUrl, token }: Setting,
  since: Date,
  { effects }: Kind,
): Promise<ReadonlyMap<string, Record<string, number>>> {
  const found = new Map<string, Record<string, number>>()
  for (const message of new Set(Object.values(effects))) {
    const query = new URLSearchParams({ createdAfter: since.toISOString(), message, success: 'true', limit: '1000' })
    const path = `/v1/audit/records?${query.toString()}`
    const { status, text } = await send(baseUrl, await token(), { method: 'GET', path })
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    for (const { details } of (JSON.parse(text) as { resources: { details: { resource_name?: string } }[] })
      .resources) {
      const name = details.resource_name ?? ''
      const counts = found.get(name) ?? {}
      found.set(name, { ...counts, [message]: (counts[message] ?? 0) + 1 })
    }
  }
  return found
}
