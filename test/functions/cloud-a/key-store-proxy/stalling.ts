import * as http from 'node:http'
import { addressOf, close, listen } from '../../../../infra/simulators/toolkit/loopback.ts'

/** Forwards requests to `target`, or never answers them. */
export interface Stalling {
  readonly endpoint: string
  stalled: boolean
  readonly stop: () => Promise<void>
}

export async function startStalling(target: string): Promise<Stalling> {
  const agent = new http.Agent({ keepAlive: true })
  const waiting = new Set<http.ServerResponse>()
  const server = http.createServer((request, response) => {
    if (stalling.stalled) {
      waiting.add(response)
      response.on('close', () => waiting.delete(response))
      request.resume()
      return
    }
    const options = { agent, method: request.method ?? 'POST', headers: request.headers }
    const onward = http.request(new URL(request.url ?? '/', target), options, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await listen(server)
  const stalling: Stalling = {
    endpoint: addressOf(server),
    stalled: false,
    stop: async () => {
      for (const response of waiting) response.destroy()
      await close(server)
      agent.destroy()
    },
  }
  return stalling
}
