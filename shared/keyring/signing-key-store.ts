import * as z from 'zod'
import { entity } from '../store/entity.ts'
import { object } from '../base/lazy-fields.ts'

export const StoredSigningKey = object(() => ({
  /** the `kid` of the tokens it signs */
  id: z.uuid(),
  createdAt: z.string(),
  state: z.enum(['present', 'previous']),
  /** when its last token expires; absent while it signs */
  retiredAt: z.string().optional(),
  /** public half, SPKI, base64 */
  publicKey: z.string(),
  /** private half, PKCS #8, sealed under the root domain's key */
  sealed: z.string(),
}))
export type StoredSigningKey = z.infer<typeof StoredSigningKey>

/** Reads served: the present key; all keys that may have valid tokens. They belong to the root domain. */
export const signingKeys = entity({
  name: 'signing-key',
  schema: StoredSigningKey,
  id: ({ id }) => id,
  unique: ({ state }) => (state === 'present' ? { state: ['present'] } : {}),
  sets: () => ['all'],
  row: ({ createdAt, state }) => ({ createdAt, state }),
})
