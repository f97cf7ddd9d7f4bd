import { aadOf } from '../../../../crypto/aead.ts'

const LABEL = 'keymgr external vault'

interface WithId {
  readonly id: string
}

/** A ciphertext is bound to its key and version, so that no other key over the same local key opens it. */
export const boundTo = ({ id: key }: WithId, { id: version }: WithId, aad: Buffer): Buffer =>
  aadOf(LABEL, key, version, aad)
