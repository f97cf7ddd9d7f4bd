import * as http from 'node:http'
import { fieldsOf } from '../../simulators/toolkit/json-body.ts'
import { readBody, serveHttp, type HttpAnswer, type HttpRequest } from '../../simulators/toolkit/loopback.ts'

/**
 * Rare behaviour of the real table that no local engine shows, and of a local engine on a full disk:
 * - `transaction-conflict`: another transaction holds the item; nothing is written
 * - `throughput-exceeded`, `throttling`: too many requests; nothing is written
 * - `internal-error`: status 500; nothing is written
 * - `disk-full`: status 500 with dynoxide's message; nothing is written
 * - `commit-then-timeout`: the write succeeds, the answer never arrives
 * - `stale-read`: an eventually consistent get repeats the previous answer to the same request; the first get is
 *   forwarded
 */
export type Fault =
  | 'transaction-conflict'
  | 'throughput-exceeded'
  | 'throttling'
  | 'internal-error'
  | 'disk-full'
  | 'commit-then-timeout'
  | 'stale-read'

/** A fault and the calls that it affects: by number, by chance, or all. */
export interface FaultRule {
  readonly fault: Fault
  /** `PutItem`, `TransactWriteItems`, ...; default: all of them. */
  readonly operation?: string
  /** Numbers of the affected calls, counted from 1 among the calls that the rule applies to since it was injected. */
  readonly calls?: readonly number[]
  /** Between 0 and 1. */
  readonly probability?: number
  /** Seed of `probability`: the same seed affects the same calls. */
  readonly seed?: number
  /** Maximum number of affected calls. */
  readonly times?: number
  /** Restricts the rule to calls whose request satisfies this. */
  readonly when?: (request: Readonly<Record<string, unknown>>) => boolean
}

export interface ProxiedCall {
  readonly operation: string
  readonly request: Readonly<Record<string, unknown>>
  /** The fault that affected the call, if any. */
  readonly fault?: Fault
  /** Whether the engine received it. */
  readonly forwarded: boolean
}

export interface FaultProxy {
  readonly endpoint: string
  /** @returns a function that removes the rule */
  readonly inject: (rule: FaultRule) => () => void
  /** Runs `work` before the first call that satisfies `when` is forwarded, for example a concurrent change. */
  readonly meanwhile: (
    when: (call: Pick<ProxiedCall, 'operation' | 'request'>) => boolean,
    work: () => Promise<void>,
  ) => void
  /** Calls that reached the engine, by operation. */
  readonly counts: () => Readonly<Record<string, number>>
  /** All calls, affected or not, oldest first; the last 10,000. */
  readonly calls: () => readonly ProxiedCall[]
  /** Clears counts, calls and rules. */
  readonly reset: () => void
  readonly stop: () => Promise<void>
}

interface ActiveRule extends FaultRule {
  seen: number
  struck: number
  readonly chance: () => number
}

const KEPT_CALLS = 10_000
const GETS = new Set(['GetItem', 'BatchGetItem', 'Query'])
const TRANSACTIONS = new Set(['TransactWriteItems', 'TransactGetItems'])
const TYPES = 'com.amazonaws.dynamodb.v20120810#'

/** A DynamoDB endpoint that forwards every call to `target`, except where a rule injects a fault. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const agent = new http.Agent({ keepAlive: true })
  const rules = new Set<ActiveRule>()
  const answered = new Map<string, HttpAnswer>()
  const interruptions: { readonly when: Parameters<FaultProxy['meanwhile']>[0]; readonly work: () => Promise<void> }[] =
    []
  let calls: ProxiedCall[] = []
  let counts: Record<string, number> = {}

  const note = (call: ProxiedCall) => {
    calls.push(call)
    if (calls.length > KEPT_CALLS) calls.shift()
    if (call.forwarded) counts[call.operation] = (counts[call.operation] ?? 0) + 1
  }

  const handle = async (request: HttpRequest): Promise<HttpAnswer | 'cut'> => {
    const { headers, body } = request
    const operation = String(headers['x-amz-target'] ?? '').replace(/^.*\./, '')
    const input = parse(body)
    // The key of an eventually consistent get: the same operation with the same request.
    const read = GETS.has(operation) && input.ConsistentRead !== true ? `${operation} ${body.toString()}` : undefined
    const before = read === undefined ? undefined : answered.get(read)
    const able = ({ fault }: FaultRule) => fault !== 'stale-read' || before !== undefined
    const fault = strikes(rules, operation, input, able)
    const forwarded = fault === undefined || fault === 'commit-then-timeout'
    note({ operation, request: input, forwarded, ...(fault && { fault }) })
    const pending = interruptions.find(({ when }) => when({ operation, request: input }))
    if (pending) {
      interruptions.splice(interruptions.indexOf(pending), 1)
      await pending.work()
    }
    if (fault === 'stale-read' && before !== undefined) return before
    if (fault !== undefined && !forwarded) return refusal(fault, operation, input)
    const answer = await forward(agent, target, request)
    if (fault === 'commit-then-timeout') return 'cut'
    if (read !== undefined && answer.status === 200) answered.set(read, answer)
    return answer
  }

  const { endpoint, stop } = await serveHttp(handle) // closes the connection if engine or client closes it
  return {
    endpoint,
    inject: (rule) => {
      const active: ActiveRule = { ...rule, seen: 0, struck: 0, chance: seeded(rule.seed ?? 1) }
      rules.add(active)
      return () => rules.delete(active)
    },
    meanwhile: (when, work) => void interruptions.push({ when, work }),
    counts: () => ({ ...counts }),
    calls: () => [...calls],
    reset: () => {
      rules.clear()
      interruptions.length = 0
      answered.clear()
      calls = []
      counts = {}
    },
    stop: async () => {
      await stop()
      agent.destroy()
    },
  }
}

/** The first rule that affects the call. Every rule that applies counts the call. */
function strikes(
  rules: Iterable<ActiveRule>,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  able: (rule: FaultRule) => boolean,
): Fault | undefined {
  let fault: Fault | undefined
  for (const rule of rules) {
    if (rule.operation !== undefined && rule.operation !== operation) continue
    if (rule.when?.(input) === false || !able(rule)) continue
    rule.seen++
    if (fault !== undefined || rule.struck >= (rule.times ?? Infinity)) continue
    if (rule.calls?.includes(rule.seen) === false) continue
    if (rule.probability !== undefined && rule.chance() >= rule.probability) continue
    rule.struck++
    fault = rule.fault
  }
  return fault
}

/** Pseudorandom numbers in [0, 1), the same for the same seed: xorshift32, not for cryptography. */
function seeded(seed: number): () => number {
  let state = Math.imul(seed | 0, 2_654_435_761) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    return fieldsOf(JSON.parse(body.toString()))
  } catch {
    return {} // the engine refuses the body
  }
}

const DISK_FULL =
  'commit failed (backend: database or disk is full) and rollback also failed (backend: cannot rollback - no transaction is active)'

/** The real table's answers, by fault. */
function refusal(fault: Fault, operation: string, input: Readonly<Record<string, unknown>>): HttpAnswer {
  if (fault === 'transaction-conflict') return conflict(operation, input)
  if (fault === 'throttling') return error(400, 'com.amazon.coral.availability#ThrottlingException', 'Rate exceeded')
  if (fault === 'internal-error') return error(500, `${TYPES}InternalServerError`, 'Internal server error')
  if (fault === 'disk-full') return error(500, `${TYPES}InternalServerError`, DISK_FULL)
  return error(
    400,
    `${TYPES}ProvisionedThroughputExceededException`,
    'The level of configured provisioned throughput for the table was exceeded.',
  )
}

/**
 * In a transaction the conflict is one of the cancellation reasons, at its first item; a single write has a separate
 * error.
 */
function conflict(operation: string, { TransactItems }: Readonly<Record<string, unknown>>): HttpAnswer {
  const Message = 'Transaction is ongoing for the item'
  if (!TRANSACTIONS.has(operation)) return error(400, `${TYPES}TransactionConflictException`, Message)
  const items = Array.isArray(TransactItems) ? TransactItems.length : 1
  const CancellationReasons = Array.from({ length: items }, (_, index) =>
    index === 0 ? { Code: 'TransactionConflict', Message } : { Code: 'None' },
  )
  const codes = CancellationReasons.map(({ Code }) => Code).join(', ')
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`
  return json(400, { __type: `${TYPES}TransactionCanceledException`, Message: message, CancellationReasons })
}

const error = (status: number, type: string, message: string): HttpAnswer => json(status, { __type: type, message })

function json(status: number, content: object): HttpAnswer {
  const body = Buffer.from(JSON.stringify(content))
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': body.length }
  return { status, headers: { ...headers, 'x-amzn-requestid': crypto.randomUUID() }, body }
}

/** Headers of one connection, which each side sets for itself. */
const HOP_BY_HOP = new Set(['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'])

function passedOn(headers: http.IncomingHttpHeaders, body: Buffer): http.OutgoingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))
  return { ...Object.fromEntries(kept), 'content-length': body.length }
}

function forward(agent: http.Agent, target: string, { method, url, headers, body }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: passedOn(headers, body) }
    const request = http.request(new URL(url, target), options, (response) => {
      readBody(response).then((content) => {
        resolve({ status: response.statusCode ?? 502, headers: passedOn(response.headers, content), body: content })
      }, reject)
    })
    request.on('error', reject).end(body)
  })
}
