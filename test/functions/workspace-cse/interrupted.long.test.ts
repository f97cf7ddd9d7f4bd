import { describe, expect, test } from 'vitest'
import { dieAt } from '../../support/deaths.ts'
import type { Answered } from '../../support/service.ts'
import { AUDIENCE, ENDPOINTS, HOST, ISSUERS } from '../kacls/kacls.ts'
import { useFaultyTable } from './faulty-table.ts'
import { someName } from './workspace-cse.ts'

/**
 * The function dies at every write of the table, after the write has taken effect and before its answer arrives, or the
 * table refuses the write. Then the same request is repeated: endpoint, key, signing key and record exist once, and the
 * endpoint answers calls.
 */
const faulty = useFaultyTable()
const admin = () => faulty().kacls.vault.admin

const successes = async ({ uri }: any, message: string): Promise<any[]> =>
  (await faulty().kacls.vault.records(`resource_uri=${uri as string}&message=${encodeURIComponent(message)}`)).filter(
    ({ success }) => success,
  )

/** An interrupted request on the endpoint or issuer `name`, and its expected outcome. */
interface Interrupted {
  readonly prepare?: (name: string) => Promise<any>
  readonly request: (name: string, prepared: any) => readonly [method: string, path: string, body?: object]
  /** status of the same request after it was carried out once */
  readonly again: number
  readonly message: string
  readonly check: (name: string, prepared: any) => Promise<void>
}

const body = (name: string) => ({ name, endpoint_url_hostname: HOST, authenticationAud: [AUDIENCE] })
const endpointNamed = (name: string): Promise<any> => faulty().kacls.create({ name })

const OPERATIONS: Readonly<Record<string, Interrupted>> = {
  'creation of an endpoint': {
    request: (name) => ['POST', ENDPOINTS, body(name)],
    again: 201,
    message: 'Create KACLS Endpoint',
    check: (name) => faulty().expectServes(name, 1),
  },
  'rotation of its key': {
    prepare: endpointNamed,
    request: (_name, { id }) => ['POST', `${ENDPOINTS}/${id as string}/rotate-key`],
    again: 200,
    message: 'Rotate KACLS Endpoint',
    check: (name) => faulty().expectServes(name, 2),
  },
  'deletion of an endpoint': {
    prepare: endpointNamed,
    request: (_name, { id }) => ['DELETE', `${ENDPOINTS}/${id as string}`],
    again: 404,
    message: 'Delete KACLS Endpoint',
    check: async (name, endpoint) => {
      expect(await faulty().named(ENDPOINTS, name)).toEqual([])
      expect(await faulty().isLedTo(endpoint)).toBe(false)
      expect(await faulty().versionsOf(endpoint.kekName as string)).toHaveLength(1) // the key is kept
      faulty().kacls.letPass()
      expect((await faulty().kacls.get(endpoint, 'certs')).status).toBe(404)
    },
  },
  'creation of an issuer': {
    request: (name) => ['POST', ISSUERS, { name, iss: `https://${name}.test`, jwksURL: faulty().provider.keySet }],
    again: 201,
    message: 'Create KACLS Issuer',
    check: async (name) => expect(await faulty().named(ISSUERS, name)).toHaveLength(1),
  },
}

describe.each(Object.entries(OPERATIONS))('%s', (_what, { prepare, request, again, message, check }) => {
  const inDeployment = async (): Promise<[name: string, prepared: any, ask: () => Promise<Answered>]> => {
    const name = someName('w')
    const prepared = await prepare?.(name)
    const [method, path, content] = request(name, prepared)
    await admin().token() // a log-in writes to the table too
    return [name, prepared, () => admin().call(method, path, content, { 'idempotency-key': name })]
  }

  /** One death and one recovery. @returns whether the function died at all */
  async function once(n: number): Promise<boolean> {
    const [name, prepared, ask] = await inDeployment()
    const disarm = dieAt(faulty().kacls.vault.service.deployment, faulty().proxy, {
      of: 'workspace-cse',
      at: 'table',
      n,
    })
    const first = await ask()
    const died = disarm()
    if (died) expect(first.status).toBeGreaterThanOrEqual(500)
    faulty().kacls.vault.advance(3 * 60_000) // past the lease of the dead function
    const last = died ? await ask() : first
    expect(last.status, JSON.stringify(last.body)).toBe(died ? again : again === 404 ? 200 : again)
    await check(name, prepared)
    expect(await successes(prepared ?? last.body, message)).toHaveLength(1)
    return died
  }

  test('is done once when the function dies at any write', async () => {
    let deaths = 0
    for (let n = 1; await once(n); n++) deaths++
    expect(deaths).toBeGreaterThan(0)
  })

  test('is done once when the table refuses the first writes', async () => {
    const [name, prepared, ask] = await inDeployment()
    faulty().proxy.inject({ fault: 'transaction-conflict', operation: 'TransactWriteItems', times: 2 })
    const { status, body: answer } = await ask()
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
    await check(name, prepared)
    expect(await successes(prepared ?? answer, message)).toHaveLength(1)
  })

  test('leaves nothing behind while the table fails, and is done when it is repeated', async () => {
    const [name, prepared, ask] = await inDeployment()
    const before = await faulty().keys()
    const remove = faulty().proxy.inject({ fault: 'internal-error', operation: 'TransactWriteItems' })
    expect((await ask()).status).toBeGreaterThanOrEqual(500)
    remove()
    expect(await faulty().keys()).toBe(before)
    const last = await ask()
    expect(last.status, JSON.stringify(last.body)).toBeLessThan(300)
    await check(name, prepared)
  })
})
