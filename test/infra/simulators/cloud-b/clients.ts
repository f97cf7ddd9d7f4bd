import { KeyVaultManagementClient } from '@azure/arm-keyvault'
import { SubscriptionClient } from '@azure/arm-resources-subscriptions'
import { createDefaultHttpClient, type HttpClient } from '@azure/core-rest-pipeline'
import { ClientCertificateCredential, ClientSecretCredential } from '@azure/identity'
import { CertificateClient } from '@azure/keyvault-certificates'
import { CryptographyClient, KeyClient, type KeyVaultKey } from '@azure/keyvault-keys'
import { SecretClient } from '@azure/keyvault-secrets'
import type { CloudBCredentials, CloudBSimulator } from '../../../../infra/simulators/cloud-b/simulator.ts'

const inner = createDefaultHttpClient()

/**
 * Sends a copy of each request to the simulator, with the original host in a header. The request itself is not changed:
 * clients read its host again after a challenge.
 */
export const routedTo = (endpoint: string): HttpClient => ({
  sendRequest: (request) => {
    const meant = new URL(request.url)
    const copy = Object.assign(Object.create(Object.getPrototypeOf(request) as object) as typeof request, request)
    copy.headers = Object.assign(Object.create(Object.getPrototypeOf(request.headers) as object), {
      _headersMap: new Map((request.headers as unknown as { _headersMap: Map<string, unknown> })._headersMap),
    }) as typeof request.headers
    copy.headers.set('x-forwarded-host', meant.host)
    copy.url = `${endpoint}${meant.pathname}${meant.search}`
    copy.allowInsecureConnection = true
    return inner.sendRequest(copy)
  },
})

const vaultUrl = (name: string): string => `https://${name}.${name.endsWith('-hsm') ? 'managedhsm' : 'vault'}.azure.net`

/** The official clients, unchanged except for their routing; they do not retry. */
export function clientsOf(
  { endpoint, credentials }: Pick<CloudBSimulator, 'endpoint' | 'credentials'>,
  { tenantId, clientId, clientSecret, certificate } = credentials[0] as CloudBCredentials,
) {
  const options = { httpClient: routedTo(endpoint), retryOptions: { maxRetries: 0 } }
  const credential =
    certificate === undefined
      ? new ClientSecretCredential(tenantId, clientId, clientSecret ?? '', options)
      : new ClientCertificateCredential(tenantId, clientId, { certificate }, options)
  return {
    credential,
    keys: (vault: string) => new KeyClient(vaultUrl(vault), credential, options),
    secrets: (vault: string) => new SecretClient(vaultUrl(vault), credential, options),
    certificates: (vault: string) => new CertificateClient(vaultUrl(vault), credential, options),
    use: (key: KeyVaultKey | string) => new CryptographyClient(key, credential, options),
    subscriptions: new SubscriptionClient(credential, options),
    vaults: (subscription: string) => new KeyVaultManagementClient(credential, subscription, options),
  }
}

export type Clients = ReturnType<typeof clientsOf>

/** Members of an answer and of its error. */
export interface Reply {
  readonly status: number
  /** the cloud's code of a refusal, with the inner code after a colon; `OK` for a success */
  readonly code: string
  readonly body: any
  readonly headers: Headers
}

/** Sends a request without a client library. @param bearer default: none */
export async function send(
  { endpoint }: Pick<CloudBSimulator, 'endpoint'>,
  method: string,
  url: string,
  { bearer, body, form }: { bearer?: string | undefined; body?: unknown; form?: Record<string, string> } = {},
): Promise<Reply> {
  const { host, pathname, search } = new URL(url)
  const answer = await fetch(`${endpoint}${pathname}${search}`, {
    method,
    headers: {
      'x-forwarded-host': host,
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(form !== undefined && { body: new URLSearchParams(form) }),
  })
  const text = await answer.text()
  const reply: any = text === '' ? {} : JSON.parse(text)
  const error = reply.error
  const inner = error?.innererror?.code === undefined ? '' : `:${error.innererror.code}`
  const code = error === undefined ? 'OK' : typeof error === 'string' ? error : `${error.code}${inner}`
  return { status: answer.status, code, body: reply, headers: answer.headers }
}

/** All items of a list. */
export async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const each of list) found.push(each)
  return found
}

/** The refusal of a call: `403 Forbidden:KeyDisabled`. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
  } catch (error) {
    const { statusCode, code, details } = error as { statusCode?: number; code?: string; details?: any }
    const inner = details?.error?.innererror?.code ?? details?.error?.innerError?.code
    return `${statusCode} ${code}${inner === undefined ? '' : `:${inner}`}`
  }
  return 'accepted'
}
