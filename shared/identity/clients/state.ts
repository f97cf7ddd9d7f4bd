import { reached } from '../../base/time.ts'
import type { RegisteredClient } from './model.ts'
import type { StoredClient } from './store.ts'

/** The state of a client: a revocation is permanent; otherwise the client expires with its certificate. */
export function clientStateAt(
  { revoked_at: revokedAt, not_after: notAfter }: Pick<StoredClient, 'revoked_at' | 'not_after'>,
  now: Date,
): RegisteredClient['state'] {
  if (revokedAt !== undefined) return 'revoked'
  return reached(notAfter, now) ? 'expired' : 'active'
}
