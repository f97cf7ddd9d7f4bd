import * as https from 'node:https'
import type { Answered, CallOptions, Service } from './service.ts'

/** A certificate with its private key, in PEM. */
export interface KeyedCertificate {
  readonly cert: string
  readonly key: string
}

/** One call of the API over the TLS port. */
export const callOverTls = (
  service: Service,
  identity: KeyedCertificate | undefined,
  method: string,
  path: string,
  options?: CallOptions,
): Promise<Answered> => requestOverTls(service, identity, method, `/api${path}`, options)

/** One request over the TLS port, with this certificate or without one; without an agent, on a connection of its own. */
export function requestOverTls(
  { deployment }: Service,
  identity: KeyedCertificate | undefined,
  method: string,
  target: string,
  { token, body, headers, agent = false }: CallOptions & { readonly agent?: https.Agent | false } = {},
): Promise<Answered> {
  const text = body === undefined ? '' : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = https.request(
      `${String(deployment.tlsBaseUrl)}${target}`,
      {
        method,
        agent,
        ca: deployment.caCertificate,
        ...identity,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const said = Buffer.concat(chunks).toString()
          const isJson = response.headers['content-type']?.includes('json') === true
          const known = new Headers()
          for (const [name, values = []] of Object.entries(response.headersDistinct))
            for (const value of values) known.append(name, value)
          resolve({
            status: response.statusCode ?? 0,
            headers: known,
            body: isJson && said !== '' ? JSON.parse(said) : said,
          })
        })
      },
    )
    request.on('error', reject)
    request.end(text)
  })
}
