import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import {
  OPENID_CLIENT,
  openidKey,
  startOpenidProvider,
  type OpenidKey,
  type OpenidProvider,
} from '../../support/openid-provider.ts'
import { ADA, BOB, ISSUERS, useKacls, type KaclsAnswer, type KaclsTests } from './kacls.ts'

const PEOPLE = [
  { sub: 'u-1', email: ADA, hd: 'shop.example.test' },
  { sub: 'u-2', email: BOB, hd: 'shop.example.test' },
  { sub: 'u-3', email: 'ada@people.example.test', google_email: 'Ada@Shop.Example.Test' },
  { sub: 'u-4', email: 'eve@shop.example.test', email_verified: false },
] as const

/** An identity provider, and an endpoint that accepts its tokens. */
export interface Company {
  readonly provider: OpenidProvider
  readonly endpoint: any
}

/** Tests with real identity providers, which are stopped at the end of the file. */
export class OpenidTests {
  readonly kacls: KaclsTests
  readonly #started: OpenidProvider[] = []
  readonly #usualKey = openidKey('first')

  constructor(kacls: KaclsTests) {
    this.kacls = kacls
  }

  /** @param keys the first one signs; default: a key that all such providers share */
  async start(...keys: OpenidKey[]): Promise<OpenidProvider> {
    const provider = await startOpenidProvider(PEOPLE, ...(keys.length > 0 ? keys : [this.#usualKey]))
    this.#started.push(provider)
    return provider
  }

  /** Registers a provider with the service. */
  makeIssuer({ openidConfigurationURL }: OpenidProvider, body: object = {}) {
    const name = `idp-${randomBytes(6).toString('hex')}`
    return this.kacls.vault.admin.call('POST', ISSUERS, { name, openidConfigurationURL, ...body })
  }

  endpointOf(...issuer: string[]): Promise<any> {
    return this.kacls.create({ issuer, authenticationAud: [OPENID_CLIENT] })
  }

  async company(...keys: OpenidKey[]): Promise<Company> {
    const provider = await this.start(...keys)
    const { body } = await this.makeIssuer(provider)
    return { provider, endpoint: await this.endpointOf(body.id as string) }
  }

  /** Wraps with a token; returns the status of the call. */
  async wraps({ endpoint }: Company, authentication: string, email: string = ADA): Promise<number> {
    return (await this.wrap(endpoint, authentication, email)).status
  }

  wrap(endpoint: any, authentication: string, email: string = ADA): Promise<KaclsAnswer> {
    return this.kacls.wrap(endpoint, randomBytes(32), { authentication, email })
  }

  stop(): Promise<unknown> {
    return Promise.all(this.#started.map((provider) => provider.stop()))
  }
}

export function useOpenid(): () => OpenidTests {
  const kacls = useKacls()
  let tests: OpenidTests | undefined
  beforeAll(() => {
    tests = new OpenidTests(kacls())
  })
  afterAll(() => tests?.stop())
  return () => {
    if (tests === undefined) throw new Error('The providers start with the tests')
    return tests
  }
}

/** The claims of a token, without verifying its signature. */
export const claimsIn = (token: string): any =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
