import { createHmac } from 'node:crypto'

/**
 * Proves to the suite, in base64, that two wrapped keys contain the same key for the same resource, without revealing
 * it.
 * @param dek in the clear @param perimeterId empty for none
 * @see reference of Workspace client-side encryption, "Resource key hash"
 */
export const resourceKeyHash = (dek: Buffer, resourceName: string, perimeterId: string): string =>
  createHmac('sha256', dek).update(`ResourceKeyDigest:${resourceName}:${perimeterId}`, 'utf8').digest('base64')
