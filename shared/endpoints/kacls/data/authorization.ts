import type { Fields } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import { PERIMETER_BYTES } from '../perimeter-id.ts'
import { assertRs256, claimsOf, isFor, textOf, tokenIn } from './claims.ts'
import { unauthenticated } from './errors.ts'
import { suiteKey } from './key-sets.ts'
import type { ServedEndpoint } from './served-endpoint.ts'

/** A call is authorized for a user's work in an application, or for the migration of keys between services. */
export type AuthorizationKind = 'application' | 'migration'

const ACCOUNTS = '@system.gserviceaccount.com'
const RESOURCE_BYTES = 128
/** Names of key pairs contain mail addresses. Keys of any kind are migrated. */
const LONG_RESOURCE_BYTES = 512

interface IssuerRow {
  readonly kind: AuthorizationKind
  readonly resourceBytes: number
}

const application: IssuerRow = { kind: 'application', resourceBytes: RESOURCE_BYTES }

/** Issuers of the suite's authorization tokens. @see protocol of the KACLS data plane, "Authorization token" */
const ISSUERS: ReadonlyMap<unknown, IssuerRow> = new Map([
  [`gsuitecse-tokenissuer-drive${ACCOUNTS}`, application],
  [`gsuitecse-tokenissuer-meet${ACCOUNTS}`, application],
  [`gsuitecse-tokenissuer-calendar${ACCOUNTS}`, application],
  [`gsuitecse-tokenissuer-gmail${ACCOUNTS}`, { ...application, resourceBytes: LONG_RESOURCE_BYTES }],
  [`apps-security-cse-kaclscommunication${ACCOUNTS}`, { kind: 'migration', resourceBytes: LONG_RESOURCE_BYTES }],
])

/** Claims of a verified token with which the suite authorizes a caller, before they are compared with the request. */
export interface Authorization {
  readonly issuer: string
  readonly role: string
  readonly resourceName: string
  /** empty for none */
  readonly perimeterId: string
  readonly url: string
  /** of the user; absent for a migration */
  readonly email: string | undefined
  readonly emailType: string | undefined
  readonly delegatedTo: string | undefined
  readonly ownerDomain: string | undefined
  readonly messageId: string | undefined
  readonly spkiHash: string | undefined
  readonly spkiHashAlgorithm: string | undefined
}

/** @returns the text, `undefined` for an absent claim @throws KaclsRefusal UNAUTHENTICATED for one of another type */
function optional(claim: unknown): string | undefined {
  if (claim === undefined || claim === null || claim === '') return undefined
  const text = textOf(claim)
  if (text === undefined) throw unauthenticated()
  return text
}

/** @throws KaclsRefusal UNAUTHENTICATED */
function required(claim: unknown, mostBytes = Infinity): string {
  const text = optional(claim)
  if (text === undefined || Buffer.byteLength(text) > mostBytes) throw unauthenticated()
  return text
}

/** @throws KaclsRefusal UNAUTHENTICATED for a token without a claim that it needs, or with one of another type */
function authorizationIn(claims: Fields, { kind, resourceBytes }: IssuerRow): Authorization {
  return {
    issuer: required(claims.iss),
    role: required(claims.role),
    resourceName: required(claims.resource_name, resourceBytes),
    perimeterId: optional(claims.perimeter_id) === undefined ? '' : required(claims.perimeter_id, PERIMETER_BYTES),
    url: required(claims.kacls_url),
    email: kind === 'application' ? required(claims.email) : undefined,
    emailType: optional(claims.email_type),
    delegatedTo: optional(claims.delegated_to),
    ownerDomain: optional(claims.kacls_owner_domain),
    messageId: optional(claims.message_id),
    spkiHash: optional(claims.spki_hash),
    spkiHashAlgorithm: optional(claims.spki_hash_algorithm),
  }
}

/**
 * Verifies the authorization token of a request. An issuer that does not authorize calls of this kind is refused before its
 * keys are read.
 * @throws KaclsRefusal UNAUTHENTICATED; Refusal UNAVAILABLE when the keys of the issuer cannot be read
 */
export function authorizationOf(
  { audiences }: ServedEndpoint,
  text: string,
  kind: AuthorizationKind,
  now: Moment,
): MaybePromise<Authorization> {
  const token = tokenIn(text)
  const { iss } = token.jws.payload
  const row = ISSUERS.get(iss)
  if (row?.kind !== kind || typeof iss !== 'string') throw unauthenticated()
  assertRs256(token)
  return after(claimsOf(token, suiteKey(iss, token, now), now), (claims) => {
    if (!isFor(claims, audiences.authorization)) throw unauthenticated()
    return authorizationIn(claims, row)
  })
}
