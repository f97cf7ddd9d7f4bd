import { AddressRefused } from '../../../base/network/guarded-fetch.ts'

/** A target that did not take a batch. `message` is a code: nothing of what the target said. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
}

/** Any failure of a connection, by its code. */
export function notDelivered(error: unknown): NotDelivered {
  if (error instanceof NotDelivered) return error
  if (error instanceof AddressRefused) return new NotDelivered('ADDRESS_REFUSED', { cause: error })
  const { code } = error as NodeJS.ErrnoException
  return new NotDelivered(code !== undefined && /^[A-Z_\d]{1,64}$/.test(code) ? code : 'NO_ANSWER', { cause: error })
}

/** A target has so long for one batch: one that accepts and never reads is given up then. */
export const SEND_MS = 10_000
