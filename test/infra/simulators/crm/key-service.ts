import { randomBytes, X509Certificate } from 'node:crypto'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactEncrypt, type CompactJWEHeaderParameters } from 'jose'

/** A callout as the service receives it. */
export interface Callout {
  readonly kid: string
  readonly requestId: string | undefined
  readonly headers: http.IncomingHttpHeaders
}

interface Answer {
  readonly status?: number
  readonly text: string
}

/** A key service for cache-only keys, independent of the product's. */
export interface KeyService {
  /** With a final slash. */
  readonly endpoint: string
  readonly material: Buffer
  readonly callouts: readonly Callout[]
  /** Replaces the right answer. */
  answer: ((callout: Callout) => Answer | Promise<Answer>) | undefined
  readonly stop: () => Promise<void>
}

/** The parts that a wrong answer replaces. */
export interface Wrong {
  readonly header?: Readonly<Record<string, unknown>>
  readonly plaintext?: Buffer
  readonly pem?: string
}

/** The right answer to a callout, or a wrong one. */
export async function keyAnswer(pem: string, { kid, requestId }: Callout, material: Buffer, wrong: Wrong = {}) {
  const usual = { alg: 'RSA-OAEP', enc: 'A256GCM', kid, ...(requestId !== undefined && { jti: requestId }) }
  const header = { ...usual, ...wrong.header } as CompactJWEHeaderParameters // wrong ones included
  const jwe = await new CompactEncrypt(wrong.plaintext ?? material)
    .setProtectedHeader(header)
    .encrypt(new X509Certificate(wrong.pem ?? pem).publicKey)
  return { kid, jwe }
}

/** @param pem the wrapping certificate @param secret value of `authorization`, if it is checked */
export async function startKeyService(pem: string): Promise<KeyService> {
  const material = randomBytes(32)
  const callouts: Callout[] = []
  const server = http.createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://host')
    const callout = {
      kid: decodeURIComponent(url.pathname.split('/').at(-1) ?? ''),
      requestId: url.searchParams.get('requestId') ?? undefined,
      headers: request.headers,
    }
    callouts.push(callout)
    const right = async () => ({ text: JSON.stringify(await keyAnswer(pem, callout, material)) })
    void Promise.resolve(service.answer?.(callout) ?? right()).then(({ status = 200, text }: Answer) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: KeyService = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys/`,
    ...{ material, callouts, answer: undefined },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return service
}
