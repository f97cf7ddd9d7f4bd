import { fileURLToPath } from 'node:url'
import { startDeployment, type Deployment } from '../../infra/local/deployment.ts'
import { startFaultProxy, type FaultProxy } from '../../infra/local/table/fault-proxy.ts'
import { startTable } from '../../infra/local/table/table.ts'
import type { Asked } from './kinds.ts'

/** Folder of the bundles under test, as `test/support/build.ts` fills it. */
export const BUNDLES = fileURLToPath(new URL('../../dist/test-functions', import.meta.url))
const PASSWORD = 'Correct-Horse-7'
/** Less than the lifetime of a token. */
const TOKEN_USED_MS = 120_000

/** Key rings of the simulated cloud. */
export const RINGS = [
  'projects/shop-keys/locations/europe-west3/keyRings/orders',
  'projects/shop-keys/locations/europe-west3/keyRings/invoices',
] as const
export const projectOf = (ring: string): string => ring.split('/')[1] ?? ''

/** A service whose table is behind a fault proxy, with the data that histories need. */
export interface Setting {
  readonly deployment: Deployment
  readonly proxy: FaultProxy
  /** address of the service, or of a proxy in front of it */
  readonly baseUrl: string
  /** the administrator's token, renewed in time; ask for it while no fault is injected */
  readonly token: () => Promise<string>
  /** a call that must succeed; returns its body */
  readonly call: (asked: Asked) => Promise<any>
  readonly users: readonly string[]
  /** ids of resources that were prepared, by name */
  readonly ids: Map<string, string>
  readonly stop: () => Promise<void>
}

/** @param front starts a proxy in front of the service, and returns its address */
export async function startSetting(
  front: (target: string) => Promise<string> = (own) => Promise.resolve(own),
): Promise<Setting> {
  const table = await startTable({})
  const proxy = await startFaultProxy(table.endpoint)
  const deployment = await startDeployment({
    bundles: BUNDLES,
    inMemory: true,
    adminPassword: PASSWORD,
    tableEndpoint: proxy.endpoint,
    environment: { KEYMGR_CHECK_ANSWERS: 'true', KEYMGR_CALLS_PER_SECOND: '100000' },
  })
  const baseUrl = await front(deployment.baseUrl)
  const token = tokenOf(deployment)
  const call: Setting['call'] = async ({ method, path, body, headers }) => {
    const { status, text } = await send(deployment.baseUrl, await token(), { method, path, body, headers })
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return JSON.parse(text)
  }
  const users: string[] = []
  for (const username of ['ann', 'bob', 'cyd'])
    users.push(
      (await call({ method: 'POST', path: '/v1/usermgmt/users', body: { username, password: PASSWORD } })).user_id,
    )
  const key_file = JSON.stringify(deployment.cloudC.keyFiles[0])
  const connections = '/v1/connectionmgmt/services/cloud-c/connections'
  await call({ method: 'POST', path: connections, body: { name: 'main', key_file } })
  return {
    deployment,
    proxy,
    baseUrl,
    token,
    call,
    users,
    ids: new Map(),
    stop: async () => {
      await deployment.stop()
      await proxy.stop()
      await table.stop()
    },
  }
}

function tokenOf({ baseUrl }: Deployment): () => Promise<string> {
  let token = ''
  let since = -Infinity
  return async () => {
    if (Date.now() - since < TOKEN_USED_MS) return token
    const body = { name: 'admin', password: PASSWORD }
    const { text } = await send(baseUrl, undefined, { method: 'POST', path: '/v1/auth/tokens', body })
    token = (JSON.parse(text) as { jwt: string }).jwt
    since = Date.now()
    return token
  }
}

export interface Received {
  readonly status: number
  readonly etag: string | null
  readonly text: string
}

/** One request over HTTP. @throws if the connection ends without an answer */
export async function send(
  baseUrl: string,
  token: string | undefined,
  { method, path, body, headers }: Asked,
): Promise<Received> {
  const response = await fetch(`${baseUrl}/api${path}`, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, etag: response.headers.get('etag'), text: await response.text() }
}
