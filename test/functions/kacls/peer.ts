import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { issuerKey, jwkOf, mint, type IssuerKey } from '../../support/issuer.ts'

/** Another key service, on loopback. */
export interface Peer {
  readonly origin: string
  /** its address in tokens and configurations */
  readonly url: string
  readonly key: IssuerKey
  /** number of connections to it */
  readonly connections: () => number
  /** received requests, oldest first */
  readonly asked: { readonly path: string; readonly body: any }[]
  /** Answers all calls from now on, except those for its keys. */
  answer: (response: ServerResponse, path: string) => void
  /** A token of this service for migrations; `claims` replace the usual ones. @param now seconds */
  readonly token: (now: number, claims: object, key?: IssuerKey) => string
  readonly stop: () => void
}

export async function startPeer(): Promise<Peer> {
  const key = issuerKey('peer')
  const asked: { path: string; body: any }[] = []
  let connections = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { url: path = '' } = request
      const text = Buffer.concat(chunks).toString()
      asked.push({ path, body: text === '' ? undefined : JSON.parse(text) })
      if (path === '/kacls/certs') replyJson(response, { keys: [jwkOf(key)] })
      else peer.answer(response, path)
    })
  })
  server.on('connection', () => (connections += 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const peer: Peer = {
    origin,
    url: `${origin}/kacls`,
    key,
    connections: () => connections,
    asked,
    answer: (response) => response.writeHead(404).end(),
    token: (now, claims, by = key) =>
      mint(by, { iss: peer.url, aud: 'kacls-migration', iat: now, exp: now + 300, ...claims }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return peer
}

export function replyJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Another key service for the tests of one file. */
export function usePeer(): () => Peer {
  let peer: Peer | undefined
  beforeAll(async () => {
    peer = await startPeer()
  })
  afterAll(() => peer?.stop())
  return () => {
    if (peer === undefined) throw new Error('The other service starts with the tests')
    return peer
  }
}
