import { serveHttp, type HttpAnswer, type HttpRequest } from '../../infra/simulators/toolkit/loopback.ts'

/** Faults of a broken service, one of each kind. */
export const PLANTS = [
  'lost-effect',
  'doubled-effect',
  'stale-read',
  'ignored-precondition',
  'effect-of-a-refusal',
  'name-taken-twice',
  'lost-record',
  'doubled-record',
] as const
export type Plant = (typeof PLANTS)[number]

/** A proxy in front of the service that behaves as if the service had a fault. */
export interface PlantingProxy {
  readonly start: (target: string) => Promise<string>
  /** from now on with this fault, or none */
  readonly plant: (plant: Plant | undefined) => void
  /** the number of calls that were falsified since `plant` */
  readonly falsified: () => number
  readonly stop: () => Promise<void>
}

interface Reply {
  readonly status: number
  readonly etag: string | undefined
  readonly text: string
}

/** One falsified answer, or `undefined` if this call is passed on as it is. */
type Falsify = (request: HttpRequest, pass: (request: HttpRequest) => Promise<Reply>) => Promise<Reply | undefined>

export function plantingProxy(): PlantingProxy {
  let falsify: Falsify | undefined
  let falsified = 0
  let stop = (): Promise<void> => Promise.resolve()
  return {
    start: async (target) => {
      const pass = passTo(target)
      const served = await serveHttp(async (request) => {
        const reply = await falsify?.(request, pass)
        if (reply !== undefined) falsified++
        return answerWith(reply ?? (await pass(request)))
      })
      stop = served.stop
      return served.endpoint
    },
    plant: (plant) => {
      falsify = plant && FALSIFIED[plant]()
      falsified = 0
    },
    falsified: () => falsified,
    stop: () => stop(),
  }
}

const answerWith = ({ status, etag, text }: Reply): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...(etag !== undefined && { etag }) },
  body: text,
})

const passTo =
  (target: string) =>
  async ({ method, url, headers, body }: HttpRequest): Promise<Reply> => {
    const kept = ['authorization', 'content-type', 'if-match', 'idempotency-key'].flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value] as const] : []
    })
    const response = await fetch(`${target}${url}`, {
      method,
      headers: Object.fromEntries(kept),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    return { status: response.status, etag: response.headers.get('etag') ?? undefined, text: await response.text() }
  }

const without = (request: HttpRequest, header: string): HttpRequest => ({
  ...request,
  headers: { ...request.headers, [header]: undefined },
})

const isAudit = ({ url }: HttpRequest): boolean => url.includes('/audit/records?')

const FALSIFIED: Readonly<Record<Plant, () => Falsify>> = {
  /** A change is answered as if it had been made. */
  'lost-effect': () => async (request, pass) => {
    if (request.method !== 'PATCH') return undefined
    const seen = await pass({ ...without(request, 'if-match'), method: 'GET', body: Buffer.alloc(0) })
    if (seen.status !== 200) return undefined
    const rev = Number(seen.etag?.replaceAll('"', '')) + 1
    const change = JSON.parse(request.body.toString()) as object
    return { status: 200, etag: `"${rev}"`, text: JSON.stringify({ ...JSON.parse(seen.text), ...change }) }
  },
  /** A version is made twice; the first answer is returned. */
  'doubled-effect': () => async (request, pass) => {
    if (request.method !== 'POST' || !request.url.endsWith('/versions')) return undefined
    const reply = await pass(request)
    if (reply.status === 201) await pass(without(request, 'idempotency-key'))
    return reply.status === 201 ? reply : undefined
  },
  /** Every read repeats the first answer to it. */
  'stale-read': () => {
    const first = new Map<string, Reply>()
    return async (request, pass) => {
      if (request.method !== 'GET' || isAudit(request)) return undefined
      const former = first.get(request.url)
      if (former !== undefined) return former
      first.set(request.url, await pass(request))
      return undefined
    }
  },
  'ignored-precondition': () => async (request, pass) =>
    request.headers['if-match'] === undefined ? undefined : pass(without(request, 'if-match')),
  /** A change is made, and its caller reads that there is no such record. */
  'effect-of-a-refusal': () => async (request, pass) => {
    if (request.method !== 'PATCH') return undefined
    const reply = await pass(request)
    return reply.status === 200 ? { status: 404, etag: undefined, text: '{"code":5}' } : undefined
  },
  /** A create of a name that exists is answered as if it had been made beside it. */
  'name-taken-twice': () => async (request, pass) => {
    if (request.method !== 'POST') return undefined
    const reply = await pass(request)
    if (reply.status !== 409) return reply
    const id = '00000000-0000-7000-8000-0000000000ff'
    return { status: 201, etag: '"1"', text: JSON.stringify({ ...JSON.parse(request.body.toString()), id }) }
  },
  'lost-record': () => audited((records) => records.slice(1)),
  'doubled-record': () => audited((records) => [...records.slice(0, 1), ...records]),
}

/** Falsifies lists of audit records that are not empty. */
const audited =
  (change: (records: readonly unknown[]) => readonly unknown[]): Falsify =>
  async (request, pass) => {
    if (!isAudit(request)) return undefined
    const reply = await pass(request)
    const list = JSON.parse(reply.text) as { resources: readonly unknown[] }
    if (reply.status !== 200 || list.resources.length === 0) return undefined
    return { ...reply, text: JSON.stringify({ ...list, resources: change(list.resources) }) }
  }
