import { hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { TAG, der, oid } from '../../asn1/der.ts'
import { extension, generalizedTime, octetString, sequence } from '../encoding.ts'
import { EXTENSION } from '../extensions.ts'
import { issuerOf } from '../issuer.ts'
import type { Issuer } from '../issuer.ts'
import { signed } from '../signed.ts'
import type { CertId, OcspRequest } from './ocsp-request.ts'
import { assertUpdates, reasonCode } from './revocation.ts'
import type { Revoked } from './crl.ts'

export type CertificateStatus = 'good' | Pick<Revoked, 'at' | 'reason'>

export interface OcspAnswer {
  /** The authority's certificate in PEM: the authority itself signs. */
  readonly issuer: string
  readonly key: KeyObject
  readonly request: OcspRequest
  /** By serial number, as in `request.asked`; certificates without a status are unknown. */
  readonly statuses: ReadonlyMap<string, CertificateStatus>
  readonly thisUpdate: Date
  readonly nextUpdate: Date
}

/** OCSPResponseStatus of answers without a status. @see RFC 6960 §4.2.1 */
const ERRORS = { malformedRequest: 1, internalError: 2, tryLater: 3, unauthorized: 6 } as const

/** An unsigned answer with the reason why there is no status, in DER. */
export const ocspError = (error: keyof typeof ERRORS): Buffer => sequence(der(TAG.enumerated, Buffer.of(ERRORS[error])))

const BASIC = '1.3.6.1.5.5.7.48.1.1'

/** Whether a request concerns a certificate of this authority. */
const isOf = ({ name, keyBits }: Issuer, { hash: algorithm, issuerNameHash, issuerKeyHash }: CertId): boolean =>
  algorithm !== undefined &&
  hash(algorithm, name, 'buffer').equals(issuerNameHash) &&
  hash(algorithm, keyBits, 'buffer').equals(issuerKeyHash)

/** CertStatus: good [0], revoked [1], unknown [2]. */
function statusBytes(status: CertificateStatus | undefined): Buffer {
  if (status === undefined) return der(0x82)
  if (status === 'good') return der(0x80)
  const code = reasonCode(status.reason)
  return der(0xa1, generalizedTime(status.at), ...(code === undefined ? [] : [der(TAG.context0, code)]))
}

/**
 * Answers a request, in DER. A certificate of another authority, and one without a status, is unknown. @see RFC 6960
 * §4.2
 * @throws RangeError, TypeError or DerError, faults, for an invalid issuer or times
 */
export async function answerOcsp(answer: OcspAnswer): Promise<Buffer> {
  const { key, request, statuses, thisUpdate, nextUpdate } = answer
  assertUpdates(thisUpdate, nextUpdate)
  const issuer = issuerOf(answer.issuer, key)
  const single = (id: CertId): Buffer =>
    sequence(
      id.whole,
      statusBytes(isOf(issuer, id) ? statuses.get(id.serial) : undefined),
      generalizedTime(thisUpdate),
      der(TAG.context0, generalizedTime(nextUpdate)),
    )
  const nonce = request.nonce === undefined ? [] : [sequence(extension(EXTENSION.ocspNonce, false, request.nonce))]
  const content = sequence(
    der(0xa1, issuer.name), // the responder by its name: some clients look for no other
    generalizedTime(thisUpdate), // time at which the statuses were read
    sequence(...request.asked.map(single)),
    ...nonce.map((extensions) => der(0xa1, extensions)),
  )
  const basic = octetString(await signed(content, key))
  return sequence(der(TAG.enumerated, Buffer.of(0)), der(TAG.context0, sequence(oid(BASIC), basic)))
}
