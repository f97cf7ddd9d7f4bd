import { publicPem } from './use-signing-key.ts'
import type { EkmVerb } from './call.ts'
import { assertKeyPath } from './key-fields.ts'

/** POST {keyURI}:getPublicKey */
export const getPublicKey: EkmVerb = {
  keyType: 'asymmetric',
  answer: async ({ endpoint, kekId, fields, trail, now }) => {
    trail.version = endpoint.latest.version
    assertKeyPath(fields, kekId)
    return { pem: await publicPem(endpoint, now), algorithm: endpoint.algorithm }
  },
}
