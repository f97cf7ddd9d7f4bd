import { once } from 'node:events'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from 'vitest'
import type { Timing } from '../../../clients/sdk/timing.ts'

/**
 * An answer to one request: from the service, from a gateway in front of it, or a connection that breaks before or
 * during the answer.
 */
export type Scripted =
  | { readonly status: number; readonly headers?: http.OutgoingHttpHeaders; readonly body?: unknown }
  | 'cut'
  | 'cut within the body'
  | 'silence'

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

function answer(response: http.ServerResponse, scripted: Scripted): void {
  if (scripted === 'silence') return
  if (scripted === 'cut') {
    response.destroy()
    return
  }
  if (scripted === 'cut within the body') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"name":', () => response.destroy())
    return
  }
  const { status, headers, body = {} } = scripted
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(status === 204 ? undefined : JSON.stringify(body))
}

/** A server that returns the answers of its script in order, repeating the last one, and records its requests. */
export function useRefusingServer(): (
  ...script: readonly Scripted[]
) => Promise<{ readonly baseUrl: string; readonly received: readonly Received[] }> {
  const servers: http.Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
    }
  })
  return async (...script) => {
    const received: Received[] = []
    const server = http.createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => (body += text))
      request.on('end', () => {
        const { method = '', url = '', headers } = request
        received.push({ method, url, headers, body })
        answer(response, script[Math.min(received.length, script.length) - 1] ?? 'silence')
      })
    })
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`, received }
  }
}

/** A clock that advances only during waits, and a random number that is always `random`. */
export function countedTime(random = 0.5): Timing & { readonly waits: readonly number[] } {
  let now = 0
  const waits: number[] = []
  const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted()
    waits.push(milliseconds)
    now += milliseconds
    return Promise.resolve()
  }
  return { now: () => now, wait, random: () => random, waits }
}
