import * as common from 'oci-common'
import { KmsCryptoClient, KmsManagementClient, KmsVaultClient, models } from 'oci-keymanagement'
import { constants, createCipheriv, publicEncrypt, randomBytes } from 'node:crypto'
import type { CloudDCredentials, CloudDSimulator } from '../../../../infra/simulators/cloud-d/simulator.ts'

/** The official signer, with the key of a user. */
const providerOf = ({ tenancyId, userId, fingerprint, privateKey }: CloudDCredentials) =>
  new common.SimpleAuthenticationDetailsProvider(tenancyId, userId, fingerprint, privateKey, null)

/** Without the client's circuit breaker, which would stop sending after some refusals. */
const clientOf = <Client extends { endpoint: string }>(
  Made: new (
    params: { authenticationDetailsProvider: common.SimpleAuthenticationDetailsProvider },
    configuration: { circuitBreaker: common.CircuitBreaker },
  ) => Client,
  credentials: CloudDCredentials,
  endpoint: string,
): Client => {
  const circuitBreaker = new common.CircuitBreaker({ disableClientCircuitBreaker: true })
  const client = new Made({ authenticationDetailsProvider: providerOf(credentials) }, { circuitBreaker })
  client.endpoint = endpoint
  return client
}

/** The simulator, or what another process knows of it. */
type Simulator = Pick<CloudDSimulator, 'endpoint' | 'credentials' | 'vaults'>

export const vaultClient = ({ endpoint, credentials }: Simulator, region = 'eu-frankfurt-1', user = credentials[0]) =>
  clientOf(KmsVaultClient, user, `${endpoint}/kms/${region}`)

export const vaultNamed = (simulator: Pick<Simulator, 'vaults'>, name: string) => {
  const vault = simulator.vaults().find(({ displayName }) => displayName === name)
  if (vault === undefined) throw new Error(`No vault is named ${name}.`)
  return vault
}

const endpointsOf = async (simulator: Simulator, name: string) => {
  const { id, region, tenancyId } = vaultNamed(simulator, name)
  const owner = simulator.credentials.find((each) => each.tenancyId === tenancyId) ?? simulator.credentials[0]
  return (await vaultClient(simulator, region, owner).getVault({ vaultId: id })).vault
}

/** Client of a vault's keys. */
export const keyClient = async (simulator: Simulator, vault: string, user = simulator.credentials[0]) =>
  clientOf(KmsManagementClient, user, (await endpointsOf(simulator, vault)).managementEndpoint)

export const cryptoClient = async (simulator: Simulator, vault: string, user = simulator.credentials[0]) =>
  clientOf(KmsCryptoClient, user, (await endpointsOf(simulator, vault)).cryptoEndpoint)

export interface Reply {
  readonly status: number
  /** the cloud's code of a refusal, `OK` for a success */
  readonly code: string
  readonly body: any // `any`: differs by operation
  readonly headers: Headers
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Changes the request after it was signed. */
  readonly altered?: (request: { url: string; headers: Headers; body: string | undefined }) => void
  readonly user?: CloudDCredentials
}

/** Sends a request signed by the official signer, for operations without a client. @param path with its host */
export async function send(simulator: CloudDSimulator, path: string, asked: Asked = {}): Promise<Reply> {
  const { method = 'GET', user = simulator.credentials[0] } = asked
  const request = {
    method,
    uri: `${simulator.endpoint}${path}`,
    headers: new Headers({ 'content-type': 'application/json', ...asked.headers }),
    ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
  }
  await new common.DefaultRequestSigner(providerOf(user)).signHttpRequest(request)
  const sent = { url: request.uri, headers: request.headers, body: request.body }
  asked.altered?.(sent)
  sent.headers.delete('host')
  sent.headers.delete('content-length')
  const answer = await fetch(sent.url, {
    method,
    headers: sent.headers,
    ...(sent.body !== undefined && { body: sent.body }),
  })
  const text = await answer.text()
  const body: any = text === '' ? undefined : JSON.parse(text)
  return { status: answer.status, code: answer.ok ? 'OK' : body?.code, body, headers: answer.headers }
}

/** `OK`, or status and code of the refusal. */
export const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'OK',
    (error: unknown) => {
      const { statusCode, serviceCode } = error as Partial<common.OciError>
      return statusCode === undefined ? 'no answer' : `${statusCode} ${String(serviceCode)}`
    },
  )

const PADDED_WRAP_IV = Buffer.from('a65959a6', 'hex')

/** Wraps material as the cloud documents: RSA-OAEP, with or without an AES key in between. */
export function wrap(pem: string, wrappingAlgorithm: 'RSA_OAEP_SHA256' | 'RSA_OAEP_AES_SHA256', bytes: Buffer) {
  const seal = (clear: Buffer) =>
    publicEncrypt({ key: pem, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, clear)
  if (wrappingAlgorithm === 'RSA_OAEP_SHA256') return { wrappingAlgorithm, keyMaterial: seal(bytes).toString('base64') }
  const aesKey = randomBytes(32)
  const cipher = createCipheriv('id-aes256-wrap-pad', aesKey, PADDED_WRAP_IV)
  const keyMaterial = Buffer.concat([seal(aesKey), cipher.update(bytes), cipher.final()]).toString('base64')
  return { wrappingAlgorithm, keyMaterial }
}

const { Aes: AES, Rsa: RSA, Ecdsa: ECDSA } = models.KeyShape.Algorithm
const ALGORITHMS = { AES, RSA, ECDSA } as const

/** @param length in bytes */
export const shapeOf = (algorithm: keyof typeof ALGORITHMS, length: number): models.KeyShape => ({
  algorithm: ALGORITHMS[algorithm],
  length,
})
