import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect } from 'vitest'
import { issuerKey, jwkOf } from '../../support/issuer.ts'
import type { Answered } from '../../support/service.ts'
import { useVault, type Holder, type Vault } from '../vault/vault.ts'

const AT = '/v1/keymgr/WorkspaceCSE'
export const ISSUERS = `${AT}/issuers`
export const ENDPOINTS = `${AT}/endpoints`
export const HOST = 'cse.example.test'
export const CLIENT_ID = 'cse-client.apps.example.test'

export const someName = (kind: string): string => `${kind}-${randomBytes(6).toString('hex')}`

/** An identity provider on loopback. */
export interface Provider {
  readonly origin: string
  readonly keySet: string
  /** Answers at a path with this function from now on. */
  readonly answer: (path: string, answer: (response: ServerResponse) => void) => void
  readonly answerJson: (path: string, body: unknown) => void
  /** Publishes a discovery document of this issuer at a path. */
  readonly describe: (path: string, document: object) => string
  /** requested paths */
  readonly asked: string[]
  readonly stop: () => void
}

export const KEY = issuerKey('k1')

export async function startProvider(): Promise<Provider> {
  const answers = new Map<string, (response: ServerResponse) => void>()
  const asked: string[] = []
  const server = createServer(({ url = '' }, response) => {
    asked.push(url)
    const answer = answers.get(url)
    if (answer === undefined) response.writeHead(404).end()
    else answer(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answerJson = (path: string, body: unknown): void => {
    answers.set(path, (response) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      response.end(text)
    })
  }
  answerJson('/certs', { keys: [jwkOf(KEY)] })
  return {
    origin,
    keySet: `${origin}/certs`,
    answer: (path, answer) => answers.set(path, answer),
    answerJson,
    describe: (path, document) => {
      answerJson(path, document)
      return origin + path
    },
    asked,
    stop: () => server.close(),
  }
}

/** A domain for the tests of one file, and an identity provider on loopback. */
export function useWorkspace(): { readonly vault: () => Vault; readonly provider: () => Provider } {
  const vault = useVault()
  let provider: Provider | undefined
  beforeAll(async () => {
    provider = await startProvider()
  })
  afterAll(() => provider?.stop())
  return {
    vault,
    provider: () => {
      if (provider === undefined) throw new Error('The provider starts with the tests')
      return provider
    },
  }
}

/** API calls of an administrator of endpoints. */
export const workspaceOf = (who: Holder, provider: Provider) => {
  const created = async (calling: Promise<Answered>): Promise<any> => {
    const { status, body } = await calling
    expect(status, JSON.stringify(body)).toBe(201)
    return body
  }
  const tryIssuer = (body: object = {}): Promise<Answered> =>
    who.call('POST', ISSUERS, {
      name: someName('i'),
      iss: `https://${someName('idp')}.example.test`,
      jwksURL: provider.keySet,
      ...body,
    })
  const tryCreate = (body: object = {}): Promise<Answered> =>
    who.call('POST', ENDPOINTS, {
      name: someName('e'),
      endpoint_url_hostname: HOST,
      authenticationAud: [CLIENT_ID],
      ...body,
    })
  const at = ({ id }: any, tail = ''): string => `${ENDPOINTS}/${id as string}${tail}`
  return {
    tryIssuer,
    issuer: (body: object = {}): Promise<any> => created(tryIssuer(body)),
    tryCreate,
    create: async (body: { issuer?: readonly string[] } & Record<string, unknown> = {}): Promise<any> => {
      const issuer = body.issuer ?? [(await created(tryIssuer())).id as string]
      return created(tryCreate({ ...body, issuer }))
    },
    at,
    get: (endpoint: any): Promise<any> => who.ok('GET', at(endpoint)),
    update: (endpoint: any, body: object, headers?: Record<string, string>): Promise<Answered> =>
      who.call('PATCH', at(endpoint), body, headers),
    remove: (endpoint: any): Promise<Answered> => who.call('DELETE', at(endpoint)),
    act: (endpoint: any, action: string, headers?: Record<string, string>): Promise<Answered> =>
      who.call('POST', at(endpoint, `/${action}`), undefined, headers),
    /** A part of an endpoint: its perimeter, a configuration. */
    part: (endpoint: any, part: string): Promise<any> => who.ok('GET', at(endpoint, `/${part}`)),
    setPart: (endpoint: any, part: string, body: unknown, method = 'PUT'): Promise<Answered> =>
      who.call(method, at(endpoint, `/${part}`), JSON.stringify(body)),
  }
}
