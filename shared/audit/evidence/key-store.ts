import type * as z from 'zod'
import { StoredSigningKey } from '../../keyring/signing-key-store.ts'
import { entity } from '../../store/entity.ts'
import { sealingFieldAgain } from '../../keyring/sealed-kinds.ts'

/** Like a key for tokens; the heads that it signs contain its `kid`. */
const EvidenceKey = StoredSigningKey.omit({ retiredAt: true })
export type EvidenceKey = z.infer<typeof EvidenceKey>

/** Purpose of the encryption of the private key. */
export const EVIDENCE_KEY_PURPOSE = (id: string): string[] => ['evidence-key', id]

/** Supported reads: the present key of a domain; all its keys. */
export const evidenceKeys = entity({
  name: 'evidence-key',
  schema: EvidenceKey,
  id: ({ id }) => id,
  unique: ({ state }) => (state === 'present' ? { state: ['present'] } : {}),
  sets: () => ['all'],
  row: ({ createdAt, state }) => ({ createdAt, state }),
})

export const sealedEvidenceKeys = sealingFieldAgain(evidenceKeys, 'all', ({ id }) => EVIDENCE_KEY_PURPOSE(id))
