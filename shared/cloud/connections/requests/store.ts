import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import { expiring, type SweepRow } from '../../../store/due.ts'
import { sealingFieldAgain } from '../../../keyring/sealed-kinds.ts'
import { object } from '../../../base/lazy-fields.ts'

const StoredRequest = object(() => ({
  /** SHA-256 of the SubjectPublicKeyInfo, in hex */
  id: z.string(),
  /** the private key as PEM, PKCS #8, sealed under the domain's key */
  sealed: z.string(),
  createdAt: z.string(),
  /** when an unused key is deleted */
  expiresAt: z.string(),
}))

/** The purpose under which a request's key is sealed; a connection seals the key again under its own purpose. */
export const keyPurpose = (id: string): string[] => ['connection-request', id, 'key']

/**
 * Reads served: the request for a certificate's key; a domain's requests, to reseal or delete them; expired requests.
 */
export const connectionRequests = entity({
  name: 'connection-request',
  schema: StoredRequest,
  id: ({ id }) => id,
  sets: () => ['all'],
  row: () => ({}),
  due: ({ expiresAt }) => ({ what: 'expire-connection-request', at: expiresAt }),
})

export const CONNECTION_SWEEPS: readonly SweepRow[] = [expiring('expire-connection-request', connectionRequests)]

export const sealedConnectionRequests = sealingFieldAgain(connectionRequests, 'all', ({ id }) => keyPurpose(id))
