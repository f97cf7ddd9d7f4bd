import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Rule } from '../../../http/rules.ts'

/** An id from another system, or for use there. Calls of this service do not accept it as a reference. */
export const AlternativeId = z.string().min(1).max(255)

/**
 * Ours: bytes of a random `keyId`, by default as many as a UUID has. 8 are the fewest, because only their randomness
 * makes the ids of a million keys unique.
 */
const ID_BYTES = { default: 16, fewest: 8, most: 64 } as const

export const IdSize = z.int().min(ID_BYTES.fewest).max(ID_BYTES.most)

/** The ids of a new key. */
export const newIds = {
  keyId: AlternativeId.optional(),
  uuid: AlternativeId.optional(),
  muid: AlternativeId.optional(),
  generateKeyId: z.boolean().optional().meta({ description: 'gives the key a random keyId, in hex', default: false }),
  idSize: IdSize.optional().meta({
    description: `bytes of the keyId that is generated, ${ID_BYTES.default} without it`,
  }),
}

/** Rules between them. A template may generate the id instead. */
export const ID_RULES: readonly Rule[] = [
  {
    message: 'generateKeyId and keyId are mutually exclusive',
    field: 'generateKeyId',
    broken: ({ generateKeyId, keyId }) => generateKeyId === true && keyId !== undefined,
  },
  {
    message: 'idSize needs generateKeyId',
    field: 'idSize',
    broken: ({ idSize, generateKeyId, templateId }) =>
      idSize !== undefined && generateKeyId !== true && (generateKeyId === false || templateId === undefined),
  },
]

/** A random `keyId`. @param bytes of the id, which is twice as long in hex */
export const newKeyId = (bytes: number = ID_BYTES.default): string => randomBytes(bytes).toString('hex')
