import { ruleBroken } from '../../../base/errors.ts'
import { reached } from '../../../base/time.ts'
import { verifyingKey } from '../../../crypto/jose/jws.ts'
import { readCertificate } from '../../../crypto/x509/certificate.ts'
import { faultOfFetched, ISSUER } from '../../../endpoint/issuers/address.ts'
import { assertKeySet, PROVIDER_MS, readProvider, type Source } from '../../../endpoint/issuers/provider.ts'
import { allowsLoopback } from '../loopback.ts'

/** The issuer that a body describes, alone or as a change of a record. */
export interface WantedIssuer {
  readonly issuer?: string | undefined
  readonly jwks_uri?: string | undefined
  readonly openid_config_url?: string | undefined
  readonly certificate?: string | undefined
}
export interface FoundIssuer {
  readonly issuer: string
  readonly jwks_uri?: string
}

const DOCUMENT = 'openid_config_url'

/** @throws Refusal RULE_BROKEN */
async function readDocument(source: Source): Promise<{ issuer: string; jwks_uri: string }> {
  const { issuer, jwks_uri } = await readProvider(source)
  const name = ISSUER.safeParse(issuer)
  if (!name.success) throw ruleBroken(DOCUMENT, 'must lead to a document that names issuer')
  if (typeof jwks_uri !== 'string') throw ruleBroken(DOCUMENT, 'must lead to a document that names jwks_uri')
  const fault = faultOfFetched(jwks_uri, source.allowsLoopback)
  if (fault !== undefined) throw ruleBroken(DOCUMENT, `must name a jwks_uri that may be called: it ${fault}`)
  return { issuer: name.data, jwks_uri }
}

/** @throws Refusal RULE_BROKEN for a certificate whose key cannot sign tokens, and for an expired one */
function assertSigns(certificate: string, now: Date): void {
  try {
    const { publicKey, notAfter } = readCertificate(certificate)
    if (!reached(notAfter, now) && verifyingKey({ ...publicKey.export({ format: 'jwk' }) }) !== undefined) return
  } catch {
    // refused below
  }
  const wanted = 'must be the PEM of one unexpired certificate with an RSA key, or an EC key on P-256 or P-384'
  throw ruleBroken('certificate', wanted)
}

/** The provider's present issuer and key set, which is read once. @throws Refusal RULE_BROKEN, naming the field */
export async function findIssuer(wanted: WantedIssuer, now: Date): Promise<FoundIssuer> {
  const { issuer = '', jwks_uri = '', openid_config_url: address, certificate } = wanted
  if (certificate !== undefined) {
    assertSigns(certificate, now)
    return { issuer }
  }
  const within = { deadline: performance.now() + PROVIDER_MS, allowsLoopback: allowsLoopback() }
  if (address === undefined) {
    await assertKeySet({ field: 'jwks_uri', address: jwks_uri, ...within })
    return { issuer, jwks_uri }
  }
  const found = await readDocument({ field: DOCUMENT, address, ...within })
  await assertKeySet({ field: DOCUMENT, address: found.jwks_uri, ...within })
  return found
}
