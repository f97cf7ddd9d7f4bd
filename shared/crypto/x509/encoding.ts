import { DerError, TAG, der, oid } from '../asn1/der.ts'
import type { Der } from '../asn1/der.ts'

/*
 * Elements of RFC 5280 in DER. Ours: certificates are encoded and parsed with `der.ts` and signed by Node; the X.509
 * library parses names from text with rules of its own, and does not support OCSP.
 */

export const sequence = (...parts: Uint8Array[]): Buffer => der(TAG.sequence, ...parts)

/** A BIT STRING of whole bytes, or one whose last byte has `unused` bits. */
export const bitString = (content: Uint8Array, unused = 0): Buffer => der(TAG.bitString, Buffer.of(unused), content)

export const octetString = (content: Uint8Array): Buffer => der(TAG.octetString, content)

/** Content of a BIT STRING of whole bytes. @throws DerError */
export function bytesOfBits({ tag, body }: Der): Buffer {
  if (tag !== TAG.bitString || body[0] !== 0) throw new DerError('not a string of whole bytes')
  return body.subarray(1)
}

/** Content of a BOOLEAN. DER has exactly two encodings. @throws DerError */
export function booleanOf({ tag, body }: Der): boolean {
  if (tag !== TAG.boolean || body.length !== 1 || (body[0] !== 0 && body[0] !== 0xff))
    throw new DerError('not a boolean')
  return body[0] !== 0
}

const [YEAR_FIRST, YEAR_LONG, YEAR_END] = [1950, 2050, 10_000]

const digitsOf = (date: Date): string => date.toISOString().replaceAll(/[-:T]|\.\d+/g, '')

/** GeneralizedTime, in whole seconds. @see RFC 5280 §4.1.2.5.2 */
export const generalizedTime = (date: Date): Buffer => der(TAG.generalizedTime, Buffer.from(digitsOf(date)))

/** Whether `time` can encode this date. */
export const isWritable = (date: Date): boolean =>
  date.getUTCFullYear() >= YEAR_FIRST && date.getUTCFullYear() < YEAR_END

/** UTCTime up to 2049, GeneralizedTime from then on; whole seconds. @see RFC 5280 §4.1.2.5 */
export function time(date: Date): Buffer {
  if (!isWritable(date)) throw new RangeError('a date that no certificate can have')
  if (date.getUTCFullYear() >= YEAR_LONG) return generalizedTime(date)
  return der(TAG.utcTime, Buffer.from(digitsOf(date).slice(2)))
}

/** One Extension. @see RFC 5280 §4.1 */
export const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  sequence(oid(id), ...(critical ? [der(TAG.boolean, Buffer.of(0xff))] : []), octetString(value))
