import type { KeyObject } from 'node:crypto'
import { TAG, der, derInteger } from '../../asn1/der.ts'
import { authorityKeyIdentifier } from '../certificate-extensions.ts'
import { extension, sequence, time } from '../encoding.ts'
import { EXTENSION } from '../extensions.ts'
import { issuerOf } from '../issuer.ts'
import { signed, signingAlgorithm } from '../signed.ts'
import { assertUpdates, reasonCode } from './revocation.ts'
import type { RevocationReason } from './revocation.ts'

export interface Revoked {
  /** in hex, as `CertificateFacts.serialNumber` */
  readonly serial: string
  readonly at: Date
  readonly reason: RevocationReason
}

export interface CrlOrder {
  /** The authority's certificate in PEM. */
  readonly issuer: string
  readonly key: KeyObject
  /** Increases with every list of an authority. @see RFC 5280 §5.2.3 */
  readonly number: number | bigint
  readonly thisUpdate: Date
  readonly nextUpdate: Date
  /** Without duplicate serial numbers. */
  readonly revoked: readonly Revoked[]
}

/** Extensions of an entry by its reason, cached because a long list repeats few reasons. */
const REASON_EXTENSIONS = new Map<RevocationReason, Buffer>()

function reasonExtension(reason: RevocationReason): Buffer {
  const known = REASON_EXTENSIONS.get(reason)
  if (known !== undefined) return known
  const code = reasonCode(reason)
  const made = code === undefined ? Buffer.alloc(0) : sequence(extension(EXTENSION.reasonCode, false, code))
  REASON_EXTENSIONS.set(reason, made)
  return made
}

/** Digits of a serial number without leading zeros. @throws RangeError */
function digitsOf({ serial }: Revoked): string {
  if (!/^[0-9a-f]{1,40}$/i.test(serial)) throw new RangeError('not a serial number in hex')
  return serial.toLowerCase().replace(/^0+(?=.)/, '')
}

const entry = (revoked: Revoked): Buffer =>
  sequence(derInteger(BigInt(`0x${digitsOf(revoked)}`)), time(revoked.at), reasonExtension(revoked.reason))

/** Entries of a list in DER. @throws RangeError */
export const crlEntries = (revoked: readonly Revoked[]): Buffer => Buffer.concat(revoked.map(entry))

/**
 * A list of the certificates that an authority revoked, of version 2, in DER. Its cost grows with the number of
 * entries.
 * @see RFC 5280 §5
 * @throws RangeError, TypeError or DerError, faults, for an invalid issuer, times or serial numbers
 */
export async function issueCrl({ revoked, ...order }: CrlOrder): Promise<Buffer> {
  if (new Set(revoked.map(digitsOf)).size < revoked.length) throw new RangeError('a serial number stands twice')
  return issueLongCrl(order, [crlEntries(revoked)])
}

/**
 * The same from encoded entries, for lists whose entries do not fit into memory otherwise.
 * @param entries of `crlEntries`, together without duplicate serial numbers
 */
export async function issueLongCrl(
  { issuer, key, number, thisUpdate, nextUpdate }: Omit<CrlOrder, 'revoked'>,
  entries: readonly Buffer[],
): Promise<Buffer> {
  assertUpdates(thisUpdate, nextUpdate)
  const { name, keyIdentifier } = issuerOf(issuer, key)
  const list = Buffer.concat(entries)
  const content = sequence(
    derInteger(1), // version 2
    signingAlgorithm(key),
    name,
    time(thisUpdate),
    time(nextUpdate),
    ...(list.length === 0 ? [] : [der(TAG.sequence, list)]), // omitted when empty (RFC 5280 §5.1.2.6)
    der(
      TAG.context0,
      sequence(authorityKeyIdentifier(keyIdentifier), extension(EXTENSION.crlNumber, false, derInteger(number))),
    ),
  )
  return signed(content, key)
}
