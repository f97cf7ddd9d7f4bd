import { TAG, der } from '../../asn1/der.ts'

/** CRLReason; 7 is not assigned. @see RFC 5280 §5.3.1 */
const REASON_CODES = {
  unspecified: 0,
  keyCompromise: 1,
  cACompromise: 2,
  affiliationChanged: 3,
  superseded: 4,
  cessationOfOperation: 5,
  certificateHold: 6,
  removeFromCRL: 8,
  privilegeWithdrawn: 9,
  aACompromise: 10,
} as const

export type RevocationReason = keyof typeof REASON_CODES

/**
 * DER of a CRLReason; undefined if it should be omitted: when the reason is unknown, and for `removeFromCRL`, which
 * only delta lists may contain, and we issue complete ones.
 */
export const reasonCode = (reason: RevocationReason): Buffer | undefined =>
  reason === 'unspecified' || reason === 'removeFromCRL'
    ? undefined
    : der(TAG.enumerated, Buffer.of(REASON_CODES[reason]))

/** @throws RangeError, a fault */
export function assertUpdates(thisUpdate: Date, nextUpdate: Date): void {
  if (!(thisUpdate < nextUpdate)) throw new RangeError('the next update must follow this one')
}
