import { createPublicKey } from 'node:crypto'
import { ruleBroken } from '../../../base/errors.ts'
import { isObject, jsonOf, type Fields } from '../../../base/json.ts'
import { errorFields, log } from '../../../base/log.ts'
import { AddressRefused, sendGuarded } from '../../../base/network/guarded-fetch.ts'
import { verifyingKey } from '../../../crypto/jws.ts'
import { allowsLoopback } from '../loopback.ts'
import { faultOf, IssuerName } from './model.ts'

/** Ours: for the document and the key set together, while a person waits. */
const WITHIN_MS = 10_000

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

type Field = 'openid_config_url' | 'jwks_uri'

/** A JSON object at an address. @throws Refusal RULE_BROKEN naming the field; it reveals only the status of the reply */
async function read(field: Field, address: string, deadline: number): Promise<Fields> {
  let reply
  try {
    const bounds = { allowsLoopback: allowsLoopback(), withinMs: Math.max(0, deadline - performance.now()) }
    reply = await sendGuarded(new URL(address), { method: 'GET', headers: { accept: 'application/json' } }, bounds)
  } catch (error) {
    log('warn', 'an identity provider could not be read', { address: new URL(address).host, ...errorFields(error) })
    throw ruleBroken(field, error instanceof AddressRefused ? error.message : 'must lead to a server that answers')
  }
  if (reply.status !== 200) throw ruleBroken(field, `must lead to an answer of 200, and leads to ${reply.status}`)
  const json = jsonOf(reply.body)
  if (isObject(json)) return json
  throw ruleBroken(field, 'must lead to a JSON object')
}

const DOCUMENT = 'openid_config_url'

/** @throws Refusal RULE_BROKEN */
async function readDocument(address: string, deadline: number): Promise<{ issuer: string; jwks_uri: string }> {
  const { issuer, jwks_uri } = await read(DOCUMENT, address, deadline)
  const name = IssuerName.safeParse(issuer)
  if (!name.success) throw ruleBroken(DOCUMENT, 'must lead to a document that names issuer')
  if (typeof jwks_uri !== 'string') throw ruleBroken(DOCUMENT, 'must lead to a document that names jwks_uri')
  const fault = faultOf(jwks_uri)
  if (fault !== undefined) throw ruleBroken(DOCUMENT, `must name a jwks_uri that may be called: it ${fault}`)
  return { issuer: name.data, jwks_uri }
}

/** @throws Refusal RULE_BROKEN unless the address leads to keys */
async function assertKeys(field: Field, address: string, deadline: number): Promise<void> {
  const { keys } = await read(field, address, deadline)
  if (!Array.isArray(keys) || keys.length === 0) throw ruleBroken(field, 'must lead to a key set with keys')
}

/** @throws Refusal RULE_BROKEN for a certificate whose key cannot sign tokens */
function assertSigns(certificate: string): void {
  try {
    if (verifyingKey({ ...createPublicKey(certificate).export({ format: 'jwk' }) }) !== undefined) return
  } catch {
    // refused below
  }
  throw ruleBroken('certificate', 'must be the PEM of a certificate with an RSA key, or an EC key on P-256 or P-384')
}

/** The provider's present issuer and key set, which is read once. @throws Refusal RULE_BROKEN, naming the field */
export async function findIssuer(wanted: WantedIssuer): Promise<FoundIssuer> {
  const { issuer = '', jwks_uri = '', openid_config_url: address, certificate } = wanted
  const deadline = performance.now() + WITHIN_MS
  if (certificate !== undefined) {
    assertSigns(certificate)
    return { issuer }
  }
  if (address === undefined) {
    await assertKeys('jwks_uri', jwks_uri, deadline)
    return { issuer, jwks_uri }
  }
  const found = await readDocument(address, deadline)
  await assertKeys(DOCUMENT, found.jwks_uri, deadline)
  return found
}
