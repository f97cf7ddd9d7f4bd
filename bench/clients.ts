import { exactly, spreadOf, type Figure } from './figure.ts'
import { compare, milliseconds, versus } from './rounds.ts'
import { isQuick, scaled } from './scale.ts'
import {
  assertStatus,
  NO_CONTEXT,
  read,
  startService,
  type BenchService,
  type Handler,
  type MakeEvent,
} from './service.ts'

const CLIENTS = scaled(10_000, 600)
/** Registrations that are timed together. */
const BLOCK = scaled(250, 50)
const BLOCKS = CLIENTS / BLOCK
const LIMIT = 100

/**
 * Registers 10,000 clients, each with a token, a key pair and a certificate. Compares the last registrations with the
 * first, and measures a page of the list.
 */
export async function measure(): Promise<Figure[]> {
  const service = await startService()
  try {
    const { handler } = (await import('../functions/clients/handler.ts')) as { handler: Handler }
    const { event, administrator } = service
    const path = '/api/v1/client-management/clients'
    const registration_token = await registrationToken(service)
    const blocks: number[] = []
    for (let block = 0; block < BLOCKS; block++) {
      const from = performance.now()
      for (let at = 0; at < BLOCK; at++)
        assertStatus(await handler(await event('POST', path, { body: { registration_token } }), NO_CONTEXT), 201)
      blocks.push((performance.now() - from) / BLOCK)
    }
    const page = (skip: number) => () => event('GET', `${path}?skip=${skip}&limit=${LIMIT}`, { as: administrator })
    return [later(blocks), ...(await pages(handler, page))]
  } finally {
    await service.stop()
  }
}

/** A token that registers any number of clients, with a profile whose authority is created here. */
async function registrationToken({ deployment, event, administrator: as }: BenchService): Promise<string> {
  const ask = async (group: string, path: string, body: object, status: number, method = 'POST') =>
    read(await deployment.invoke(group, await event(method, `/api/v1/${path}`, { body, as })), status) as {
      id: string
      token: string
    }
  const { id: ca_id } = await ask('ca', 'ca/local-cas', { cn: 'Bench Root' }, 201)
  await ask('ca', `ca/local-cas/${ca_id}/self-sign`, {}, 200)
  await ask('ca', `ca/local-cas/${ca_id}`, { allow_client_authentication: true }, 200, 'PATCH')
  const profile = await ask('clients', 'client-management/profiles', { name: 'bench', ca_id }, 201)
  const body = { client_management_profile_id: profile.id, name_prefix: 'bench-' }
  return (await ask('clients', 'client-management/regtokens', body, 201)).token
}

/**
 * The last tenth of the registrations against those from the second tenth on, since the first ones warm up the code.
 */
function later(blocks: readonly number[]): Figure {
  const tenth = Math.max(1, Math.floor(blocks.length / 10))
  const early = blocks.slice(tenth, 2 * tenth)
  const ratios = blocks.slice(-tenth).flatMap((late) => early.map((one) => late / one))
  const [first, last] = [early[0] ?? Number.NaN, blocks.at(-1) ?? Number.NaN]
  return {
    name: `register client: the last of ${CLIENTS.toLocaleString('en')} / an early one`,
    measured: spreadOf(ratios),
    promise: isQuick ? undefined : { atMost: 1.3 },
    note: `${milliseconds(last)} against ${milliseconds(first)}`,
  }
}

async function pages(handler: Handler, page: (skip: number) => () => ReturnType<MakeEvent>): Promise<Figure[]> {
  const list = (target: ReturnType<typeof page>) => ({
    run: async (times: number) => {
      for (let at = 0; at < times; at++) assertStatus(await handler(await target(), NO_CONTEXT), 200)
    },
  })
  const [front, back] = [page(0), page(CLIENTS * 0.9)]
  const outcome = await compare({ ours: list(back), bare: list(front), rounds: 17, turns: 2, calls: 8, warmUp: 1 })
  const { total } = read(await handler(await back(), NO_CONTEXT), 200) as { total: number }
  return [
    {
      name: 'list 100 clients: skip 90 % / skip 0',
      measured: outcome.ratio,
      promise: { atMost: 2 },
      note: versus(outcome),
    },
    { name: 'list 100 clients: total', measured: exactly(total), promise: { exactly: CLIENTS }, note: '' },
  ]
}
