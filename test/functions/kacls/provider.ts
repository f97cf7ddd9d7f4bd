import type { KeyObject } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTHeaderParameters } from 'jose'
import { afterAll } from 'vitest'
import { startIssuer, type Issuer } from '../../support/issuer.ts'
import { ADA, AUDIENCE, ISSUERS, type KaclsTests } from './kacls.ts'

/** A key of a provider, from an independent implementation. */
export interface ProviderKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey | KeyObject
  readonly jwk: object
}

/** @param alg is also the default of `kid` */
export async function providerKey(alg: string, kid = alg): Promise<ProviderKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** A token with these claims. @param header in addition to the usual one */
export const signed = (
  { kid, alg, privateKey }: ProviderKey,
  claims: object,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> =>
  new SignJWT({ ...claims })
    .setProtectedHeader({ alg, kid, typ: 'JWT', ...header })
    .sign(privateKey, { crit: Object.fromEntries((header.crit ?? []).map((name) => [name, true])) })

/** An identity provider on loopback, with keys of any kind. */
export class Provider {
  readonly issuer: Issuer
  readonly iss: string
  readonly #now: () => Date
  readonly #readByManagement: number

  constructor(issuer: Issuer, iss: string, now: () => Date) {
    this.issuer = issuer
    this.iss = iss
    this.#now = now
    this.#readByManagement = issuer.fetches()
  }

  /** number of reads of its keys by the data plane */
  reads(): number {
    return this.issuer.fetches() - this.#readByManagement
  }

  /** Claims of Ada's token. */
  claims(more: object = {}): Record<string, unknown> {
    const iat = Math.floor(this.#now().getTime() / 1_000)
    return { iss: this.iss, aud: AUDIENCE, email: ADA, iat, exp: iat + 3_600, ...more }
  }

  /** A token of Ada. @param header in addition to the usual one */
  token(key: ProviderKey, header: Partial<JWTHeaderParameters> = {}, claims: object = {}): Promise<string> {
    return signed(key, this.claims(claims), header)
  }
}

let number = 0

/**
 * Providers for the tests of one file, each registered with the service. Their ids are values of an endpoint's
 * `issuer`.
 */
export function useProviders(kacls: () => KaclsTests): () => Promise<{ id: string; provider: Provider }> {
  const started: Issuer[] = []
  afterAll(() => Promise.all(started.map((one) => one.stop())))
  return async () => {
    const issuer = await startIssuer()
    started.push(issuer)
    number += 1
    const { clock } = kacls().vault.service.deployment
    const iss = `https://provider-${number}.example.test`
    const body = { name: `provider ${number}`, iss, jwksURL: issuer.keySet }
    issuer.publishSet([(await providerKey('RS256', 'first')).jwk])
    const { id } = await kacls().vault.admin.ok('POST', ISSUERS, body)
    return { id: id as string, provider: new Provider(issuer, iss, () => clock.now()) }
  }
}
