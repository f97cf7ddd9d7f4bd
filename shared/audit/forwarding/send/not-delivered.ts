import { AddressRefused } from '../../../base/network/guarded-fetch.ts'

/** A target that did not accept a batch. `message` is a code: it contains nothing from the target. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}

/** Any failure of a connection, by its code. */
export function notDelivered(error: unknown): NotDelivered {
  if (error instanceof NotDelivered) return error
  if (error instanceof AddressRefused) return new NotDelivered('ADDRESS_REFUSED', { cause: error })
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new NotDelivered(/^[A-Z_\d]{1,64}$/.test(code) ? code : 'NO_ANSWER', { cause: error })
}

/** Time limit of a target for one batch, which also ends the wait for a target that never reads. */
export const SEND_MS = 10_000
