import { randomUUID } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import type { Resolve } from '../../toolkit/simulator.ts'
import type { Domains } from '../domains/domains.ts'
import type { ExternalManager } from '../state/held.ts'
import { isObject, type Body } from '../wire/body.ts'
import { ApiError, invalid } from '../wire/errors.ts'

/** One call of the cloud to an external key manager. */
export interface ManagerCall {
  readonly method: 'GET' | 'POST'
  /** Path below the address of the vault there: `/metadata`, `/keys/<id>/encrypt` and so on. */
  readonly path: string
  readonly body?: object
}

export interface ExternalManagers {
  /** @returns the answer's members @throws ApiError InvalidParameter when it refuses, ServiceUnavailable when it fails */
  readonly ask: (manager: ExternalManager, call: ManagerCall) => Promise<Body>
  readonly close: () => void
}

const TIMEOUT_MS = 10_000
const ANSWER_BYTES = 1_048_576
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The cloud's connections to external key managers. Each call has a token of the vault's identity domain. */
export function openExternalManagers({ resolve, domains }: { resolve: Resolve; domains: Domains }): ExternalManagers {
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) }
  const tokenFor = async ({ domainUrl, clientId, endpointUrl }: ExternalManager): Promise<string> => {
    const domain = domains.all().find(({ url }) => url === domainUrl)
    if (domain === undefined) throw invalid('The identity domain of the vault is unknown.')
    return domain.tokenOf({ clientId, audience: `${new URL(endpointUrl).origin}/` })
  }
  const optionsOf = (url: URL): https.RequestOptions => {
    const place = resolve(url.hostname)
    if (place === undefined && !LOOPBACK.has(url.hostname)) throw unavailable('its host is unknown')
    if (url.protocol === 'http:') return { agent: agents.http, host: url.hostname, port: url.port }
    return {
      ...{ agent: agents.https, host: place?.address ?? url.hostname, port: place?.port ?? url.port },
      servername: url.hostname,
      ...(place?.ca !== undefined && { ca: place.ca }),
    }
  }
  return {
    ask: async (manager, { method, path, body }) => {
      const url = new URL(`${manager.endpointUrl}${path}`)
      const content = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        host: url.host,
        authorization: `Bearer ${await tokenFor(manager)}`,
        'opc-request-id': randomUUID(),
        ...(content !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(content),
        }),
      }
      return read(await exchange({ ...optionsOf(url), method, path: url.pathname, headers }, url.protocol, content))
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

const unavailable = (why: string): ApiError =>
  new ApiError('ServiceUnavailable', `The external key manager cannot be reached: ${why}.`)

interface Answer {
  readonly status: number
  readonly text: string
}

function exchange(options: https.RequestOptions, protocol: string, content: string | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const module = protocol === 'http:' ? http : https
    const request = module.request({ ...options, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject)
    })
    request.on('error', (error) => reject(unavailable(error.message)))
    request.end(content)
  })
}

async function textOf(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES) throw unavailable('its answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Ours: a refusal contains the status of the key manager, so that users find the cause there. */
function read({ status, text }: Answer): Body {
  if (status >= 400 && status < 500) throw invalid(`The external key manager refused the call with status ${status}.`)
  if (status !== 200) throw unavailable(`it answered status ${status}`)
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // thrown below
  }
  throw unavailable('its answer is no JSON object')
}
