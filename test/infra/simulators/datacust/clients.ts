import { constants, createCipheriv, createPublicKey, publicEncrypt, randomBytes } from 'node:crypto'
import type { DatacustCredentials, DatacustSimulator } from '../../../../infra/simulators/datacust/simulator.ts'

export interface Reply {
  readonly status: number
  readonly body: any // `any`: differs by operation
  readonly headers: Headers
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly token?: string | undefined
}

/** Sends a request. @param path below `/kms/v2` */
export async function send(simulator: DatacustSimulator, path: string, asked: Asked = {}): Promise<Reply> {
  const { method = 'GET', body, token } = asked
  const answer = await fetch(`${simulator.apiEndpoint}${path}`, {
    method,
    headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
}

export const activate = (simulator: DatacustSimulator, { apiKey, secret }: { apiKey: string; secret: string }) =>
  send(simulator, '/auth/credentialActivate', { method: 'PUT', body: { apiKey, secret } })

export const logIn = (simulator: DatacustSimulator, body: object) =>
  send(simulator, '/auth/request', { method: 'POST', body })

export function userNamed(simulator: DatacustSimulator, name: string, tenant = 'shop'): DatacustCredentials {
  const found = simulator.credentials().find((each) => each.name === name && each.tenantName === tenant)
  if (found === undefined) throw new Error(`No technical user is named ${name}.`)
  return found
}

/** A token of a technical user, who is activated if need be. */
export async function tokenOf(simulator: DatacustSimulator, name = 'keymgr', tenant = 'shop'): Promise<string> {
  if (!userNamed(simulator, name, tenant).isActivated) await activate(simulator, userNamed(simulator, name, tenant))
  const { apiKey, secret } = userNamed(simulator, name, tenant)
  return (await logIn(simulator, { apiKey, secret })).body.accessToken
}

export function groupNamed({ tenants }: DatacustSimulator, name: string): string {
  const found = tenants.flatMap(({ groups }) => groups).find((each) => each.name === name)
  if (found === undefined) throw new Error(`No group is named ${name}.`)
  return found.id
}

const PADDED_WRAP_IV = Buffer.from('a65959a6', 'hex')

/** Wraps material as the platform documents. @param publicKey base64 of DER */
export function wrap(publicKey: string, algorithm: string, bytes: Buffer, oaepHash = 'sha256'): string {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const seal = (clear: Buffer) => publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, clear)
  if (algorithm === 'OAEP_MGF1_SHA256') return seal(bytes).toString('base64')
  const aesKey = randomBytes(32)
  const cipher = createCipheriv('id-aes256-wrap-pad', aesKey, PADDED_WRAP_IV)
  return Buffer.concat([seal(aesKey), cipher.update(bytes), cipher.final()]).toString('base64')
}

/** Calls with one token. */
export interface Client {
  readonly call: (method: NonNullable<Asked['method']>, path: string, body?: unknown) => Promise<Reply>
  readonly create: (group: string, key?: object) => Promise<Reply>
  readonly publicKey: (keyId: string, version?: number) => Promise<string>
}

export async function clientOf(simulator: DatacustSimulator, name = 'keymgr', tenant = 'shop'): Promise<Client> {
  const token = await tokenOf(simulator, name, tenant)
  const call: Client['call'] = (method, path, body) => send(simulator, path, { method, body, token })
  return {
    call,
    create: (group, key = {}) =>
      call('POST', '/keys', {
        ...{ groupId: groupNamed(simulator, group), name: 'a key', type: 'AES', size: 256 },
        ...{ operations: ['ENCRYPT', 'DECRYPT'], ...key },
      }),
    publicKey: async (keyId, version = 0) =>
      (await call('GET', `/keys/${keyId}/versions/${version}/publicKey?outputFormat=BASE64_DER`)).body.publicKey,
  }
}
